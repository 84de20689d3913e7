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

type Side = 'yours' | 'theirs'

/** Offers a choice for each field that both changed, and says what else will be saved. */
export const Conflict = (parts: ConflictParts) => {
  const { base, mine, stored, onKeep, onDiscard, onClose } = parts
  const allWords = useWords()
  const { conflict: words, members } = allWords
  const id = useId()
  const theirs = draftOf(stored)
  const compared = compare(base, mine, theirs)
  const [chosen, setChosen] = useState<ReadonlyMap<ProfileField, Side>>(new Map())
  const chosenDraft = () => {
    const given = compared.clashes.filter((field) => chosen.get(field) === 'theirs')
    return { ...compared.merged, ...pick(theirs, given) }
  }
  const display = (field: ProfileField, text: string) => {
    if (text === '' || text === unreadable) return allWords.none
    return field === 'genderCode' ? members.genders[text as '0'] : displayText(text, allWords)
  }
  const cell = (side: Side, field: ProfileField, text: string) => (
    <td data-heading={words[side]}>
      <label class="version">
        <input
          type="radio"
          name={`${id}-${field}`}
          checked={(chosen.get(field) ?? 'yours') === side}
          onChange={() => setChosen(new Map(chosen).set(field, side))}
        />
        <span>
          <span class="unseen">{words.choice(members.fields[field], words[side])} </span>
          {display(field, text)}
        </span>
      </label>
    </td>
  )
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
            <tr key={field}>
              <th scope="row">{members.fields[field]}</th>
              {cell('yours', field, mine[field])}
              {cell('theirs', field, theirs[field])}
            </tr>
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
