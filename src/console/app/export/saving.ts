import { failureOf, isAborted } from '#console/app/api/failure.ts'
import { findNameOnce, knownName } from '#console/app/api/names.ts'
import { nameText } from '#console/app/records/names.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { downloads, type ListSource } from '#console/app/ui/download.tsx'
import { formatDateTime, formatPlainDate, wordsNow } from '#console/app/words/index.ts'
import { type CsvFields, cellText, columnsOf, escapeFormula, valueAt, writeCsv } from '#core/csv.ts'
import { byteOrderMark, displayCsv } from '#core/display.ts'
import { displaySheet } from '#core/sheet.ts'
import { exportWords } from './words.ts'

const fileEndings = { sheet: '.xlsx', csv: '.csv', exact: '-exact.csv' }

export type Format = keyof typeof fileEndings

export const formats = Object.keys(fileEndings) as Format[]

type ListToSave = ListSource & Pick<Required<ListSource>, 'columns'>

/** Saves a list as a file. Only the file is kept in memory, not the records. */
export const download = async (list: ListToSave, format: Format) => {
  const { plural, total, readAll } = list
  const words = exportWords()
  const controller = new AbortController()
  let rowCount = 0
  const showProgress = () =>
    setDownload(plural, {
      progress: wordsNow().bulk.progress(rowCount, total),
      stop: () => controller.abort(),
    })
  async function* pagesWithProgress() {
    showProgress()
    for await (const page of readAll(controller.signal)) {
      yield page
      rowCount += page.length
      showProgress()
    }
  }
  try {
    const chunks: Blob[] = []
    for await (const chunk of contentOf(list, format, pagesWithProgress())) chunks.push(new Blob([chunk]))
    save(`rollcall-${plural}-${today()}${fileEndings[format]}`, chunks)
    notify(words.done(rowCount))
  } catch (error) {
    const failure = failureOf(error)
    if (!isAborted(failure)) notifyFailure(words.failed, failure)
  } finally {
    setDownload(plural, undefined)
  }
}

const setDownload = (plural: string, downloading: ReturnType<typeof downloads.get>[string] | undefined) => {
  const { [plural]: _, ...others } = downloads.get()
  downloads.set(downloading ? { ...others, [plural]: downloading } : others)
}

type Pages = AsyncIterable<readonly object[]>

const contentOf = (list: ListToSave, format: Format, pages: Pages) => {
  if (format === 'exact') return exactCsv(pages)
  const { title, columns } = list
  const nameOf = (id: string) => nameText(id, knownName(id), wordsNow())
  const table = { title, columns, batches: withNames(list, pages), nameOf }
  const dates = { day: formatPlainDate, time: formatDateTime }
  return format === 'sheet' ? displaySheet(table) : displayCsv(table, dates)
}

/** All fields, as `rollcall export` writes them. The columns come from the first record, because all records of a list have the same fields. */
async function* exactCsv(pages: Pages) {
  let columns: readonly string[] = []
  for await (const page of pages) {
    if (columns.length === 0) {
      columns = columnsOf(page[0] ?? {})
      yield byteOrderMark + writeCsv(columns)
    }
    yield page.map((record) => csvLine(columns.map((column) => cellText(record, column)))).join('')
  }
}

/** Loads the names of the records to which these records refer. */
async function* withNames({ columns, nameOf }: ListToSave, pages: Pages) {
  for await (const page of pages) {
    const references = columns.flatMap(({ name, of }) =>
      of === undefined ? [] : [...new Set(page.map((record) => valueAt(record, name)))].map((id) => [of, id]),
    )
    await Promise.all(
      references.map(([of, id]) => id && findNameOnce(String(of), String(id), false).catch(() => undefined)),
    )
    yield nameOf ? page.map((record) => ({ name: nameOf(record as never), ...record })) : page
  }
}

/** The local date, in a form that sorts file names. */
const today = () => new Intl.DateTimeFormat('sv').format()

/** Formulas are escaped, because spreadsheets open the file. */
const csvLine = (cells: CsvFields) => writeCsv(cells.map((cell) => cell && escapeFormula(cell)))

/** Saves a table for spreadsheets. */
export const saveCsv = (fileName: string, rows: readonly CsvFields[]) =>
  save(fileName, [byteOrderMark, ...rows.map(csvLine)])

const save = (fileName: string, parts: BlobPart[]) => {
  const address = URL.createObjectURL(new Blob(parts))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
