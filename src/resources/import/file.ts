import type { CsvFields } from '#core/csv.ts'
import type { Detail } from '#core/problem.ts'
import type { Values } from '#resources/resource.ts'
import { type FileRow, rowsOfFile } from './files/rows.ts'
import { flattened } from './saying.ts'
import type { Options } from './schema.ts'
import type { Cells } from './store.ts'

export interface TableRow {
  readonly line: number
  readonly cells: CsvFields
}

interface ReaderParts {
  readonly pieces: AsyncIterable<Uint8Array>
  readonly options: Pick<Options, 'header' | 'encoding' | 'sheet'>
  /** Which of the first rows of a table has the headings, if one has. */
  headerOf(rows: readonly TableRow[]): TableRow | undefined
}

/** A row that is to be staged. */
interface FileRecord {
  readonly line: number
  readonly cells: Cells
}

/** A title may stand above the headings. */
const firstRows = 20

/** Reads the records of a file batch by batch, from any of them on. */
export const fileReader = ({ pieces, options, headerOf }: ReaderParts) => {
  const { encoding, sheet, header } = options
  const rows = rowsOfFile(pieces, { encoding: encoding ?? undefined, sheet: sheet ?? undefined })
  const names = new Set<string>()
  let headings: readonly string[] | undefined
  let waiting: FileRow[] | undefined

  /** The first rows tell where the records of a table begin. */
  const begin = async () => {
    const first: FileRow[] = []
    while (first.length < firstRows) {
      const { value, done } = await rows.next()
      if (done) break
      first.push(value)
    }
    const table = first.flatMap(({ line, cells }) => (Array.isArray(cells) ? [{ line, cells }] : []))
    const found = header === null ? headerOf(table) : table.find(({ line }) => line === header)
    const isTable = table.length === first.length && !first.some(({ fault }) => fault)
    if (isTable) headings = found?.cells.map((cell) => cell ?? '') ?? table[0]?.cells.map(() => '')
    return first.filter(({ line }) => !isTable || line > (found?.line ?? 0))
  }

  const next = async (): Promise<FileRow | undefined> => {
    waiting ??= await begin()
    const first = waiting.shift()
    if (first) return first
    const { value, done } = await rows.next()
    return done ? undefined : value
  }

  return {
    headings: () => headings ?? [...names],

    async next(after: number, limit: number): Promise<readonly FileRecord[]> {
      const batch: FileRecord[] = []
      while (batch.length < limit) {
        const row = await next()
        if (!row) break
        if (!headings) for (const name of Object.keys(flattened(row.cells as Values))) names.add(name)
        if (row.line > after) batch.push({ line: row.line, cells: stored(row.cells, row.fault) })
      }
      return batch
    },
  }
}

const stored = (cells: FileRow['cells'], fault: Detail | undefined): Cells => ({
  cells: Array.isArray(cells) ? cells.map((cell) => cell ?? null) : (cells as Values),
  ...(fault && { fault }),
})
