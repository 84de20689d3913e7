import type { ErrorDetail } from '#client/index.ts'
import type { Failure } from '#console/app/api/failure.ts'
import { nameFields } from '#console/app/members/name.ts'
import { Button } from '#console/app/ui/button.tsx'
import { saveCsv } from '#console/app/ui/downloading.ts'
import { reasonOf } from '#console/app/ui/failed.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { closed } from '#console/app/words/visible.ts'
import type { Course } from './course.ts'
import { type Batch, type FileRecord, type Kind, shortName } from './record.ts'
import type { Refusal } from './send.ts'

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
          <Button text={words.import.report} kind="small" onClick={() => saveReport(refusals, unit, words)} />
        )}
      </header>
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

/** Why a record was refused, in terms of the columns of its file. */
const reasonByColumns = (failure: Failure, words: Words): string =>
  failure.details.length === 0
    ? reasonOf(failure, words)
    : failure.details.map((detail) => reasonOfColumn(detail, words)).join(' ')

const reasonOfColumn = ({ code, target = '', message }: ErrorDetail, { import: words }: Words) => {
  const column = columnOf(target)
  const form = words.forms[column as keyof typeof words.forms]
  if (code === 'NotNull') return words.missing(column)
  if (form && (code === 'WrongType' || code === 'ExistInCodeList')) return words.wrongForm(column, form)
  return message.replace(`"${target}"`, column)
}

/** A missing credential means that the password is missing; the sign id is optional. */
const columnOf = (target: string) => (target === 'credential' ? 'password' : shortName(target))

/** Saves a report of the refused records: where, why, and the code. The content is left out, because it may hold a password. */
const saveReport = (refusals: readonly Refusal[], unit: Batch['unit'], words: Words) => {
  const rows = refusals.flatMap(({ record: { line, fault = 'unparsed' }, failure }) => {
    const at = String(line)
    if (!failure) return [[at, undefined, undefined, words.import.faults[fault]]]
    if (failure.details.length === 0) return [[at, failure.code, undefined, reasonOf(failure, words)]]
    return failure.details.map(({ code, target, message }) => [at, code, target, message])
  })
  saveCsv('rollcall-refused.csv', [[unit, 'code', 'field', 'reason'], ...rows])
}
