import { nameFields } from '#console/app/members/name.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useWords } from '#console/app/words/index.ts'
import { closed } from '#console/app/words/visible.ts'
import type { Course } from './course.ts'
import type { Batch, FileRecord, Kind } from './record.ts'
import { reasonIn, saveRefused } from './report.ts'

const shownRefusals = 50
const shownLetters = 130

/** The refused records by place in the file, with what they are called and the reasons. */
export const Refusals = ({ course, batch }: { course: Course; batch: Batch }) => {
  const words = useWords()
  const { phase, refusals } = course
  const { kind, unit } = batch
  return (
    <section class="sheet sheet-padded import-part stack">
      <header class="head">
        <h2>{words.import.refusedTitle}</h2>
        {phase !== 'running' && (
          <Button
            text={words.import.report}
            kind="small"
            onClick={() => saveRefused(refusals, batch, words)}
          />
        )}
      </header>
      <p class="faint">{words.import.mend}</p>
      <table class="refusals plain-table">
        <caption class="unseen">{words.import.refusedTitle}</caption>
        <thead>
          <tr>
            <th scope="col">{words.import[unit]}</th>
            <th scope="col">{words.import.named[kind]}</th>
            <th scope="col">{words.import.reason}</th>
          </tr>
        </thead>
        <tbody>
          {refusals.slice(0, shownRefusals).map((refusal) => (
            <tr key={refusal.record.line}>
              <th scope="row">{refusal.record.line}</th>
              <td dir="auto">{calledOf(refusal.record, kind)}</td>
              <td>{reasonIn(refusal, words)}</td>
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
    .map((field) => body[field])
    .filter((value) => typeof value === 'string')
    .map((text) => closed(text.slice(0, shownLetters)))
    .join(' ')
