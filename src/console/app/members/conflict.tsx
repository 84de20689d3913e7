import { useId, useState } from 'preact/hooks'
import type { Member } from '#client/index.ts'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { unreadable } from '#console/app/ui/text-field.tsx'
import { formatTime } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { type Draft, draftOf, type ProfileField, profileFields } from './draft.ts'

interface ConflictParts {
  /** What was read before editing. */
  readonly base: Draft
  readonly mine: Draft
  readonly stored: Member
  readonly isSending: boolean
  readonly onKeep: (merged: Draft) => void
  readonly onDiscard: () => void
  readonly onClose: () => void
}

type Side = 'mine' | 'theirs'

/** Both versions side by side; for each field where they differ, one holds. Who did not touch a field wants the other's. */
export const Conflict = (parts: ConflictParts) => {
  const { base, mine, stored, isSending, onKeep, onDiscard, onClose } = parts
  const { conflict: words, members } = useWords()
  const theirs = draftOf(stored)
  const differing = profileFields.filter((field) => mine[field] !== theirs[field])
  const [chosen, setChosen] = useState<ReadonlyMap<ProfileField, Side>>(
    () => new Map(differing.map((field) => [field, mine[field] === base[field] ? 'theirs' : 'mine'])),
  )
  const merged = () => {
    const kept = differing.filter((field) => chosen.get(field) === 'mine')
    return { ...mine, ...theirs, ...Object.fromEntries(kept.map((field) => [field, mine[field]])) }
  }
  return (
    <Dialog title={words.title} kind="dialog-wide" onClose={onClose}>
      <p>{differing.length > 0 ? words.text(formatTime(stored.lastModifiedAt)) : words.same}</p>
      {differing.length > 0 && (
        <table class="versions">
          <thead>
            <tr>
              <th scope="col">{words.field}</th>
              <th scope="col">{words.yours}</th>
              <th scope="col">{words.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {differing.map((field) => (
              <VersionRow
                key={field}
                label={members.fields[field]}
                field={field}
                mine={mine[field]}
                theirs={theirs[field]}
                side={chosen.get(field) ?? 'mine'}
                onChoose={(side) => setChosen(new Map(chosen).set(field, side))}
              />
            ))}
          </tbody>
        </table>
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onDiscard}>
          {words.discard}
        </button>
        {differing.length > 0 && (
          <button
            type="button"
            class="button button-primary"
            aria-disabled={isSending}
            onClick={() => onKeep(merged())}
          >
            {words.keep}
          </button>
        )}
      </div>
    </Dialog>
  )
}

interface RowParts {
  readonly label: string
  readonly field: ProfileField
  readonly mine: string
  readonly theirs: string
  readonly side: Side
  readonly onChoose: (side: Side) => void
}

const VersionRow = ({ label, field, mine, theirs, side, onChoose }: RowParts) => {
  const words = useWords()
  const name = useId()
  const say = (text: string) => {
    if (text === '' || text === unreadable) return words.none
    return field === 'genderCode' ? words.members.genders[text as '0'] : text
  }
  const cell = (which: Side, text: string, heading: string) => (
    <td data-heading={heading}>
      <label class="version">
        <input type="radio" name={name} checked={side === which} onChange={() => onChoose(which)} />
        <span>
          <span class="unseen">
            {label}, {heading}:{' '}
          </span>
          {say(text)}
        </span>
      </label>
    </td>
  )
  return (
    <tr>
      <th scope="row">{label}</th>
      {cell('mine', mine, words.conflict.yours)}
      {cell('theirs', theirs, words.conflict.theirs)}
    </tr>
  )
}
