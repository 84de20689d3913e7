import { type CsvFields, columnsOf } from '#core/csv.ts'
import { type DateOrder, dateOrderOf } from '#core/foreign-files.ts'
import type { Detail } from '#core/problem.ts'
import type { Values } from '#resources/import-target.ts'
import { FileRefused, maxColumns } from './files/refused.ts'
import { type FileRow, rowsOfFile } from './files/rows.ts'
import type { Cells } from './rows.ts'
import type { Options } from './schema.ts'

export interface TableRow {
  readonly line: number
  readonly cells: CsvFields
}

interface ReaderOptions {
  readonly pieces: AsyncIterable<Uint8Array>
  readonly options: Pick<Options, 'header' | 'encoding' | 'sheet'>
  /** Finds the headings among the first rows of a table. */
  headerOf(rows: readonly TableRow[]): TableRow | undefined
}

interface FileRecord {
  readonly line: number
  readonly cells: Cells
}

/** The number of rows in which the headings are searched, because a title may stand above them. */
const maxRowsAboveHeadings = 20

const dateWithOrder = /^\s*\d{1,2}(?:[-/.]\d{1,2}[-/.]\d|\d{5,6}\s*$)/

/** Reads the records of a file in batches. `next` skips the records up to a line. */
export const fileReader = ({ pieces, options, headerOf }: ReaderOptions) => {
  const { encoding, sheet, header } = options
  let sheets: readonly string[] = []
  const onSheets = (names: readonly string[]) => {
    sheets = names
  }
  const rows = rowsOfFile(pieces, { encoding: encoding ?? undefined, sheet: sheet ?? undefined, onSheets })
  const propertyNames = new Set<string>()
  const dateOrders = new Map<number, DateOrder | 'open'>()
  let headings: readonly string[] | undefined
  let rowsReadAhead: FileRow[] | undefined

  /** Finds the headings in the first rows, and returns the rows below. */
  const readHeadings = async () => {
    const firstRows: FileRow[] = []
    while (firstRows.length < maxRowsAboveHeadings) {
      const { value, done } = await rows.next()
      if (done) break
      firstRows.push(value)
    }
    const table = firstRows.flatMap(({ line, cells }) => (Array.isArray(cells) ? [{ line, cells }] : []))
    const found = header === null ? headerOf(table) : table.find(({ line }) => line === header)
    const isTable = table.length === firstRows.length && !firstRows.some(({ fault }) => fault)
    if (isTable) headings = found?.cells.map((cell) => cell ?? '') ?? table[0]?.cells.map(() => '')
    return firstRows.filter(({ line }) => !isTable || line > (found?.line ?? 0))
  }

  const next = async (): Promise<FileRow | undefined> => {
    rowsReadAhead ??= await readHeadings()
    const first = rowsReadAhead.shift()
    if (first) return first
    const { value, done } = await rows.next()
    return done ? undefined : value
  }

  /** Remembers the order of day and month for each column in which a date shows the order. */
  const rememberDateOrders = (cells: CsvFields) =>
    cells.forEach((cell, at) => {
      const order = cell !== undefined && dateWithOrder.test(cell) ? dateOrderOf([cell]) : undefined
      if (order === undefined || order === 'open') return
      dateOrders.set(at, (dateOrders.get(at) ?? order) === order ? order : 'open')
    })

  return {
    /** The order of day and month in a column. Undefined if its dates do not show the order, or contradict one another. */
    dateOrderOfColumn: (at: number) => {
      const order = dateOrders.get(at)
      return order === 'open' ? undefined : order
    },

    headings: () => headings ?? [...propertyNames],
    sheets: () => sheets,

    async next(after: number, limit: number): Promise<readonly FileRecord[]> {
      const batch: FileRecord[] = []
      while (batch.length < limit) {
        const row = await next()
        if (!row) break
        if (Array.isArray(row.cells)) rememberDateOrders(row.cells)
        if (!headings) for (const name of columnsOf(row.cells)) propertyNames.add(name)
        const width = headings?.length ?? propertyNames.size
        if (width > maxColumns) throw new FileRefused('columns', { line: row.line, max: maxColumns })
        if (row.line > after) batch.push({ line: row.line, cells: toCells(row.cells, row.fault) })
      }
      return batch
    },
  }
}

const toCells = (cells: FileRow['cells'], fault: Detail | undefined): Cells => ({
  cells: Array.isArray(cells) ? cells.map((cell) => cell ?? null) : (cells as Values),
  ...(fault && { fault }),
})
