import { createReadStream, type ReadStream } from 'node:fs'
import { access, constants, realpath, stat } from 'node:fs/promises'
import { messageOf } from '#core/cause.ts'
import { type Encoding, markedEncoding } from '#core/foreign.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { UsageError } from '#src/cli/exit.ts'
import { namingFile } from '#src/cli/files.ts'
import type { Mapping } from '#src/cli/formats/fields.ts'
import { type Entry, type Format, formatOf, readEntries } from '#src/cli/formats/reading.ts'

/** The source cannot be read further. */
export class ReadingStopped extends UsageError {}

/** What is imported. */
export interface Source {
  readonly file: string
  /** The absolute path of the file, through any links; `-` for standard input. */
  readonly path: string
  readonly format: Format
  /** By default UTF-16 if the text begins with its mark, or UTF-8. */
  readonly encoding: Encoding | undefined
  /** Unknown for standard input. */
  readonly sizeBytes: number | undefined
  open(): ReadStream | NodeJS.ReadStream
}

export const openSource = async (
  file: string,
  given: Format | undefined,
  encoding?: Encoding,
): Promise<Source> => {
  if (file !== '-') {
    const format = given ?? formatOf(file)
    return { file, format, encoding, ...(await found(file)), open: () => createReadStream(file) }
  }
  if (given === undefined) throw new UsageError('Name the format of standard input with --format.')
  const unnamed = { file: 'standard input', path: '-', sizeBytes: undefined }
  return { ...unnamed, format: given, encoding, open: () => process.stdin }
}

const found = async (file: string) => {
  try {
    const stats = await stat(file)
    // To open a pipe with a name would be to wait for whoever writes to it.
    if (!stats.isFile()) throw new UsageError(`${file} is not a regular file.`)
    await access(file, constants.R_OK)
    return { sizeBytes: stats.size, path: await realpath(file) }
  } catch (error) {
    throw namingFile(file, 'read', error)
  }
}

interface Reading {
  readonly imported: JsonSchema
  readonly mapping: Mapping
  readonly batchSize: number
  advance(bytes: number): void
}

/** The records of a source. If reading fails partway, this throws after the records before that point. */
export async function* batchesOf(source: Source, { imported, mapping, batchSize, advance }: Reading) {
  let batch: Entry[] = []
  let failure: unknown
  try {
    for await (const entry of readEntries(source.format, texts(source, advance), imported, mapping)) {
      if (batch.push(entry) < batchSize) continue
      yield batch
      batch = []
    }
  } catch (error) {
    failure = stoppedBy(error)
  }
  if (batch.length > 0) yield batch
  if (failure !== undefined) throw failure
}

const stoppedBy = (error: unknown) =>
  error instanceof UsageError
    ? error
    : new ReadingStopped(`The file cannot be read further: ${messageOf(error)}.`)

async function* texts(
  { file, encoding, open }: Source,
  advance: (bytes: number) => void,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let line = 1
  const decoded = (bytes?: Buffer) => {
    try {
      return decoder?.decode(bytes, { stream: bytes !== undefined }) ?? ''
    } catch {
      const name = decoder?.encoding.toUpperCase()
      throw new ReadingStopped(`${file} is not ${name} in line ${line}. Name its encoding with --encoding.`)
    }
  }
  for await (const chunk of open()) {
    decoder ??= new TextDecoder(encoding ?? markedEncoding(chunk) ?? 'utf-8', { fatal: true })
    advance(chunk.length)
    let text = ''
    for (const bytes of linesIn(chunk)) {
      text += decoded(bytes)
      if (bytes.at(-1) === lineFeed) line++
    }
    yield text
  }
  yield decoded()
}

const lineFeed = 10

function* linesIn(bytes: Buffer) {
  let from = 0
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, from)) {
    yield bytes.subarray(from, at + 1)
    from = at + 1
  }
  if (from < bytes.length) yield bytes.subarray(from)
}
