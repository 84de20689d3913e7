import { useWords } from '#console/app/words/index.ts'
import { reasonByColumns } from './reason.ts'
import type { Batch } from './record.ts'
import { saveReport } from './report.ts'
import type { Refusal } from './send.ts'

interface RefusalsParts {
  readonly refusals: readonly Refusal[]
  readonly unit: Batch['unit']
  readonly isEnded: boolean
}

const shownRefusals = 50

/** The refused records by place in the file, with the reasons. */
export const Refusals = ({ refusals, unit, isEnded }: RefusalsParts) => {
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
        <thead>
          <tr>
            <th scope="col">{words.import[unit]}</th>
            <th scope="col">{words.import.reason}</th>
          </tr>
        </thead>
        <tbody>
          {refusals.slice(0, shownRefusals).map(({ record, failure }) => (
            <tr key={record.line}>
              <td>{record.line}</td>
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
