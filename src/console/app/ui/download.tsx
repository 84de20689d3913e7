import { failureOf, isAborted } from '#console/app/api/failure.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { store, useStore } from '#console/app/state/store.ts'
import { formatNumber } from '#console/app/words/format.ts'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { type CsvFields, cellOf, columnsOf, defused, writeCsv } from '#core/csv.ts'
import { Button } from './button.tsx'

interface DownloadParts {
  /** The plural of what is listed. */
  readonly what: string
  readonly walk: Walk
  /** An empty list has nothing to save. */
  readonly isEmpty: boolean
}

/** Saves a list; pressing it again stops the download. */
export const Download = ({ what, walk, isEmpty }: DownloadParts) => {
  const { download: words } = useWords()
  const running = useStore(downloads)[what]
  if (isEmpty && !running) return null
  return (
    <Button
      icon={running ? 'close' : 'import'}
      text={running ? words.stop(formatNumber(running.done)) : words.begin}
      onClick={running?.stop ?? (() => download(what, walk))}
    />
  )
}

export type Walk = (signal: AbortSignal) => AsyncGenerator<readonly object[]>

interface Downloading {
  /** The number of rows read so far. */
  readonly done: number
  readonly stop: () => void
}

/** Outlives the page: a download continues on other pages, and even if the list becomes empty meanwhile. */
const downloads = store<Readonly<Record<string, Downloading>>>({})

/** Saves a list as a CSV file, with the same columns as `rollcall export`. */
export const download = async (what: string, walk: Walk) => {
  const controller = new AbortController()
  const show = (done: number) => set(what, { done, stop: () => controller.abort() })
  try {
    const records: object[] = []
    show(0)
    for await (const page of walk(controller.signal)) {
      records.push(...page)
      show(records.length)
    }
    saveCsv(`rollcall-${what}-${today()}.csv`, tableOf(records))
    notify(wordsNow().download.done(records.length))
  } catch (error) {
    const failure = failureOf(error)
    if (!isAborted(failure)) notifyFailure(wordsNow().download.failed, failure)
  } finally {
    set(what, undefined)
  }
}

const set = (what: string, downloading: Downloading | undefined) => {
  const { [what]: _, ...others } = downloads.get()
  downloads.set(downloading ? { ...others, [what]: downloading } : others)
}

/** All records of a list have the same fields. */
const tableOf = (records: readonly object[]) => {
  const columns = columnsOf(records[0] ?? {})
  return [columns, ...records.map((record) => columns.map((column) => cellOf(record, column)))]
}

/** The local date, in a form that sorts file names. */
const today = () => new Intl.DateTimeFormat('sv').format()

/** A byte order mark tells spreadsheets that the file is UTF-8. */
const mark = '\uFEFF'

/** Saves a table for spreadsheets, with formulas defused. */
export const saveCsv = (fileName: string, rows: readonly CsvFields[]) => {
  const lines = rows.map((cells) => writeCsv(cells.map((cell) => cell && defused(cell))))
  const address = URL.createObjectURL(new Blob([mark, ...lines], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
