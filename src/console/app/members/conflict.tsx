import { useId, useState } from 'preact/hooks'
import type { Member } from '#client/index.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { unreadable } from '#console/app/ui/text-field.tsx'
import { formatMoment } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { displayText } from '#console/app/words/visible.ts'
import { compare, type Draft, draftOf, pick } from './draft.ts'
import type { ProfileField } from './fields.ts'
import { inOrder, labelsOf } from './name.ts'

interface ConflictParts {
  /** The version that the user edits. */
  readonly base: Draft
  readonly mine: Draft
  readonly stored: Member
  readonly onKeep: (merged: Draft) => void
  readonly onDiscard: () => void
  readonly onClose: () => void
}

type Side = 'mine' | 'theirs'

/** Offers a choice for each field that both changed, and says what else will be saved. */
export const Conflict = (parts: ConflictParts) => {
  const { base, mine, stored, onKeep, onDiscard, onClose } = parts
  const allWords = useWords()
  const { conflict: words, members } = allWords
  const theirs = draftOf(stored)
  const compared = compare(base, mine, theirs)
  const [chosen, setChosen] = useState<ReadonlyMap<ProfileField, Side>>(new Map())
  const chosenDraft = () => {
    const given = compared.clashes.filter((field) => chosen.get(field) === 'theirs')
    return { ...compared.merged, ...pick(theirs, given) }
  }
  return (
    <Dialog
      title={words.title}
      text={words.text(formatMoment(stored.lastModifiedAt))}
      kind="dialog-wide"
      onClose={onClose}
    >
      <table class="versions">
        <thead>
          <tr>
            <th scope="col">{words.field}</th>
            <th scope="col">{words.yours}</th>
            <th scope="col">{words.theirs}</th>
          </tr>
        </thead>
        <tbody>
          {inOrder(compared.clashes).map((field) => (
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
      {compared.mine.length > 0 && <p>{words.alsoMine(labelsOf(compared.mine, allWords))}</p>}
      {compared.theirs.length > 0 && <p>{words.alsoTheirs(labelsOf(compared.theirs, allWords))}</p>}
      <div class="actions">
        <Button text={words.discard} onClick={onDiscard} />
        <Button text={words.keep} kind="primary" onClick={() => onKeep(chosenDraft())} />
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
  const display = (text: string) => {
    if (text === '' || text === unreadable) return words.none
    return field === 'genderCode' ? words.members.genders[text as '0'] : displayText(text, words)
  }
  const cell = (which: Side, text: string, heading: string) => (
    <td data-heading={heading}>
      <label class="version">
        <input type="radio" name={name} checked={side === which} onChange={() => onChoose(which)} />
        <span>
          <span class="unseen">{words.conflict.choice(label, heading)} </span>
          {display(text)}
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
