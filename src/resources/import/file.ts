import { type CsvFields, readCsv } from '#core/csv.ts'
import { type Encoding, encodingOf } from '#core/foreign.ts'
import { namesIn } from './saying.ts'
import type { Cells } from './store.ts'

/** Why a file cannot be read further, in one sentence. */
export class FileFault extends Error {}

interface FileRow {
  readonly line: number
  readonly cells: Readonly<Record<string, unknown>> | CsvFields
}

interface FileOptions {
  readonly encoding: Encoding | null
  readonly header: number | null
  readonly sheet: string | null
}

/** Reads the rows of a file batch by batch, from any of them on. */
export const fileReader = (pieces: AsyncIterable<Uint8Array>, options: FileOptions) => {
  const rows = rowsOfFile(pieces, options)
  const names = new Set<string>()
  let headings: readonly string[] | undefined

  /** Whether the row is one of the records. The first of a table, or the one that was chosen, has the headings. */
  const isRecord = ({ line, cells }: FileRow) => {
    if (!Array.isArray(cells)) {
      for (const name of namesIn(cells as Readonly<Record<string, unknown>>)) names.add(name)
      return true
    }
    const isHeader = options.header === null ? headings === undefined : line === options.header
    if (isHeader) headings = cells.map((cell) => cell ?? '')
    return !isHeader && line > (options.header ?? 0)
  }

  return {
    headings: () => headings ?? [...names],

    async next(after: number, limit: number) {
      const batch: { readonly line: number; readonly cells: Cells['cells'] }[] = []
      while (batch.length < limit) {
        const { value, done } = await rows.next()
        if (done) break
        if (isRecord(value) && value.line > after)
          batch.push({ line: value.line, cells: storable(value.cells) })
      }
      return batch
    },
  }
}

const storable = (cells: FileRow['cells']): Cells['cells'] =>
  Array.isArray(cells) ? cells.map((cell) => cell ?? null) : (cells as Readonly<Record<string, unknown>>)

async function* rowsOfFile(
  pieces: AsyncIterable<Uint8Array>,
  { encoding }: FileOptions,
): AsyncGenerator<FileRow> {
  async function* texts() {
    let decoder: TextDecoder | undefined
    for await (const piece of pieces) {
      decoder ??= new TextDecoder(encoding ?? encodingOf(new Uint8Array(piece)) ?? 'utf-8')
      for (let at = 0; at < piece.length; at += 16384)
        yield decoder.decode(piece.subarray(at, at + 16384), { stream: true })
    }
    yield decoder?.decode() ?? ''
  }
  const all = texts()
  const { value: first = '' } = await all.next()
  async function* whole() {
    yield first as string
    yield* all
  }
  if (first.trimStart().startsWith('[')) {
    let text = ''
    for await (const one of whole()) text += one
    let line = 0
    for (const cells of JSON.parse(text)) yield { line: ++line, cells }
  } else if (first.trimStart().startsWith('{')) {
    let rest = ''
    let line = 0
    for await (const one of whole()) {
      const lines = (rest + one).split('\n')
      rest = lines.pop() ?? ''
      for (const text of lines) if (++line && text.trim() !== '') yield { line, cells: JSON.parse(text) }
    }
    if (rest.trim() !== '') yield { line: line + 1, cells: JSON.parse(rest) }
  } else for await (const { line, fields } of readCsv(whole())) yield { line, cells: fields }
}
