import { useId, useState } from 'preact/hooks'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { unreadableDateMarker } from '#console/app/ui/fields.tsx'
import { formatMoment, useWords } from '#console/app/words/index.ts'
import { textsIn } from '#console/app/words/texts.ts'
import { valueAt } from '#core/csv.ts'
import { compare, type Draft, draftOf, pick } from './draft.ts'
import { type Field, labelsOf } from './kind.ts'
import { displayedText } from './value.tsx'

interface ConflictProps {
  readonly fields: readonly Field[]
  /** The version that the user began to edit. */
  readonly base: Draft
  readonly mine: Draft
  readonly stored: object
  readonly onKeep: (merged: Draft) => void
  readonly onDiscard: () => void
  readonly onClose: () => void
}

type Side = 'yours' | 'theirs'

/** Offers both values of each field that both users changed, and lists the other fields that will be saved. */
export const Conflict = (props: ConflictProps) => {
  const { fields, base, mine, stored, onKeep, onDiscard, onClose } = props
  const allWords = useWords()
  const words = useConflictWords()
  const id = useId()
  const theirs = draftOf(fields, stored)
  const compared = compare(base, mine, theirs)
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map())
  const chosenDraft = () => {
    const fromThem = compared.clashes.filter((field) => chosen.get(field) === 'theirs')
    return { ...compared.merged, ...pick(theirs, fromThem) }
  }
  const display = (field: Field, text = '') =>
    text === '' || text === unreadableDateMarker ? allWords.none : displayedText(field, text, allWords)
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

const useConflictWords = textsIn({
  title: ['Somebody else changed this record', 'ほかの人がこの記録を変更しました'],
  text: (time: string) => `
    It was saved at ${time} while you were editing. Choose which value to keep for each field that both of you changed.
    編集している間に ${time} に保存されました。双方が変更した項目について、どちらの値にするか選んでください。`,
  field: ['Field', '項目'],
  yours: ['Yours', 'あなたの値'],
  choice: (field: string, side: string) => [`${field}, ${side}:`, `${field}、${side}：`],
  theirs: ['Stored now', '現在の値'],
  keep: ['Save my choice', '選んだ値で保存'],
  alsoMine: (fields: readonly string[]) => `Your other changes are saved as well: ${fields.join(', ')}.
    あなたのほかの変更も保存されます：${fields.join('、')}。`,
  alsoTheirs: (fields: readonly string[]) => `Their other changes stay: ${fields.join(', ')}.
    その人のほかの変更はそのまま残ります：${fields.join('、')}。`,
  discard: ['Discard all my changes', '自分の変更をすべて破棄'],
})
