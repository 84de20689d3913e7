import { useId, useState } from 'preact/hooks'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { unreadable } from '#console/app/ui/text-field.tsx'
import { formatMoment } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { valueAt } from '#core/csv.ts'
import { useConflictWords } from './conflict-words.ts'
import { compare, type Draft, draftOf, pick } from './draft.ts'
import { type Field, labelsOf } from './field.ts'
import { displayedText } from './value.tsx'

interface ConflictParts {
  readonly fields: readonly Field[]
  /** The version that the user edits. */
  readonly base: Draft
  readonly mine: Draft
  readonly stored: object
  readonly onKeep: (merged: Draft) => void
  readonly onDiscard: () => void
  readonly onClose: () => void
}

type Side = 'yours' | 'theirs'

/** Offers a choice for each field that both changed, and lists the other fields that will be saved. */
export const Conflict = (parts: ConflictParts) => {
  const { fields, base, mine, stored, onKeep, onDiscard, onClose } = parts
  const allWords = useWords()
  const words = useConflictWords()
  const id = useId()
  const theirs = draftOf(fields, stored)
  const compared = compare(base, mine, theirs)
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map())
  const chosenDraft = () => {
    const given = compared.clashes.filter((field) => chosen.get(field) === 'theirs')
    return { ...compared.merged, ...pick(theirs, given) }
  }
  const display = (field: Field, text = '') =>
    text === '' || text === unreadable ? allWords.none : displayedText(field, text, allWords)
  const cell = (side: Side, field: Field, text: string | undefined) => (
    <td data-heading={words[side]}>
      <label class="version">
        <input
          type="radio"
          name={`${id}-${field.name}`}
          checked={(chosen.get(field.name) ?? 'yours') === side}
          onChange={() => setChosen(new Map(chosen).set(field.name, side))}
        />
        <span>
          <span class="unseen">{words.choice(field.label, words[side])} </span>
          {display(field, text)}
        </span>
      </label>
    </td>
  )
  return (
    <Dialog
      title={words.title}
      text={words.text(formatMoment(String(valueAt(stored, 'lastModifiedAt'))))}
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
          {fields
            .filter(({ name }) => compared.clashes.includes(name))
            .map((field) => (
              <tr key={field.name}>
                <th scope="row">{field.label}</th>
                {cell('yours', field, mine[field.name])}
                {cell('theirs', field, theirs[field.name])}
              </tr>
            ))}
        </tbody>
      </table>
      {compared.mine.length > 0 && <p>{words.alsoMine(labelsOf(fields, compared.mine))}</p>}
      {compared.theirs.length > 0 && <p>{words.alsoTheirs(labelsOf(fields, compared.theirs))}</p>}
      <div class="actions">
        <Button text={words.discard} onClick={onDiscard} />
        <Button text={words.keep} kind="primary" onClick={() => onKeep(chosenDraft())} />
      </div>
    </Dialog>
  )
}
