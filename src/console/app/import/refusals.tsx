import { nameFields } from '#console/app/members/name.ts'
import { useWords } from '#console/app/words/index.ts'
import { closed } from '#console/app/words/isolated.ts'
import { reasonByColumns } from './reason.ts'
import type { Batch, FileRecord, Kind } from './record.ts'
import { saveReport } from './report.ts'
import type { Refusal } from './send.ts'

interface RefusalsParts {
  readonly refusals: readonly Refusal[]
  readonly kind: Kind
  readonly unit: Batch['unit']
  readonly isEnded: boolean
}

const shownRefusals = 50
const shownLetters = 130

/** The refused records by place in the file, with what they are called and the reasons. */
export const Refusals = ({ refusals, kind, unit, isEnded }: RefusalsParts) => {
  const words = useWords()
  return (
    <section class="sheet sheet-padded import-part">
      <header class="head">
        <h2>{words.import.refusedTitle}</h2>
        {isEnded && (
          <button type="button" class="button button-small" onClick={() => saveReport(refusals, unit, words)}>
            {words.import.report}
          </button>
        )}
      </header>
      <table class="refusals">
        <caption class="unseen">{words.import.refusedTitle}</caption>
        <thead>
          <tr>
            <th scope="col">{words.import[unit]}</th>
            <th scope="col">{words.import.named[kind]}</th>
            <th scope="col">{words.import.reason}</th>
          </tr>
        </thead>
        <tbody>
          {refusals.slice(0, shownRefusals).map(({ record, failure }) => (
            <tr key={record.line}>
              <th scope="row">{record.line}</th>
              <td dir="auto">{calledOf(record, kind)}</td>
              <td>
                {failure ? reasonByColumns(failure, words) : words.import.faults[record.fault ?? 'unparsed']}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {refusals.length > shownRefusals && <p>{words.import.shownOf(shownRefusals, refusals.length)}</p>}
    </section>
  )
}

/** The name of a member or the title of a todo, as far as the file has it: lines alone are hard to find in a spreadsheet. */
const calledOf = ({ body }: FileRecord, kind: Kind) =>
  (kind === 'members' ? nameFields() : (['todoTitle'] as const))
    .map((field) => body?.[field])
    .filter((value) => typeof value === 'string')
    .map((text) => closed(text.slice(0, shownLetters)))
    .join(' ')
