import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { again, course as kept, start } from './course.ts'
import { Drop } from './drop.tsx'
import { Progress } from './progress.tsx'
import type { Batch } from './record.ts'
import { Refusals } from './refusals.tsx'

export const ImportPage = () => {
  const words = useWords()
  const course = useStore(kept)
  const { phase } = course
  useFocusAfter(phase)
  return (
    <Page title={words.pages.import} subtitle={words.import.subtitle}>
      {(phase === 'choosing' || phase === 'unreadable' || phase === 'reading') && <Drop course={course} />}
      {phase === 'ready' && course.batch && <Preview batch={course.batch} fileName={course.fileName} />}
      {course.batch && phase !== 'ready' && <Progress course={course} batch={course.batch} />}
      {course.batch && course.refusals.length > 0 && <Refusals course={course} batch={course.batch} />}
    </Page>
  )
}

/** The pressed button disappears with its part of the page, so the focus goes to the title. */
const useFocusAfter = (phase: string) => {
  const before = useRef(phase)
  useEffect(() => {
    if (before.current !== phase && document.activeElement === document.body) focusTitle()
    before.current = phase
  }, [phase])
}

const shownRecords = 5
const shownLetters = 500

/** A preview of the file, before anything is sent. Passwords are not shown. */
const Preview = ({ batch, fileName }: { batch: Batch; fileName: string }) => {
  const { kind, unit, records } = batch
  const { import: words } = useWords()
  const unread = records.filter(({ body }) => !body).length
  const count =
    unread === 0 ? words.ready[kind](records.length) : words.readyInPart[unit](records.length, unread)
  return (
    <section class="sheet sheet-padded import-part stack">
      <h2>
        {isolated(fileName)} <span class="import-count">{count}</span>
      </h2>
      <PreviewTable records={records.slice(0, shownRecords)} unit={unit} />
      <div class="actions">
        <Button text={words.start} kind="primary" onClick={start} />
        <Button text={words.another} kind="quiet" onClick={again} />
      </div>
    </section>
  )
}

type TableParts = Pick<Batch, 'records' | 'unit'>

/** The columns are those of the shown records, as in the file. A wide table is scrolled, also with the arrow keys. */
const PreviewTable = ({ records, unit }: TableParts) => {
  const { import: words } = useWords()
  const rows = records.map(({ body, ...record }) => ({ ...record, cells: body && cellsOf(body) }))
  const columns = [...new Set(rows.flatMap(({ cells }) => [...(cells?.keys() ?? [])]))]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: only what has the focus is scrolled by keys
    <section class="import-records" aria-label={words.preview} tabIndex={0}>
      <table class="plain-table">
        <caption>{words.preview}</caption>
        <thead>
          <tr>
            <th scope="col">{words[unit]}</th>
            {columns.map((column) => (
              <th scope="col" key={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, cells, fault = 'unparsed' }) => (
            <tr key={line}>
              <th scope="row">{line}</th>
              {cells ? (
                columns.map((column) => (
                  <td key={column} dir="auto">
                    {cells.get(column)}
                  </td>
                ))
              ) : (
                <td colSpan={columns.length}>{words.faults[fault]}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The texts by column, without passwords. */
const cellsOf = (body: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(body).flatMap(([name, value]): (readonly [string, string])[] => {
      if (name === 'password') return [[name, '••••']]
      if (typeof value !== 'object' || value === null) return [[name, String(value).slice(0, shownLetters)]]
      return [...cellsOf(value as Readonly<Record<string, unknown>>)]
    }),
  )
