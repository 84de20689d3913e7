import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, realpath, stat } from 'node:fs/promises'
import { messageOf } from '#core/cause.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { UsageError } from '#src/cli/exit.ts'
import { namingFile } from '#src/cli/files.ts'
import { type Format, formatOf, type Line, readLines } from '#src/cli/formats/reading.ts'

/** The file cannot be read further. */
export class ReadingStopped extends UsageError {
  /** The same, with how many records of the file are written. */
  counting(written: number): ReadingStopped {
    if (written === 0) return this
    const count = written.toLocaleString('en')
    return new ReadingStopped(
      `${this.message} Records written before: ${count}; correct the file and import it again for the others.`,
    )
  }
}

/** The place of a record in its file. */
export interface Where {
  readonly line: number
  /** The number of the element in an array, whose elements may share a line. */
  readonly element?: number
}

/** A record of the file, not parsed yet. */
export interface Entry extends Line, Where {}

/** A number that is unique to the record within its file, and increases. */
export const placeOf = ({ line, element }: Where) => element ?? line

export interface Source {
  readonly file: string
  /** The absolute path of the file, through any links. */
  readonly path: string
  readonly format: Format
  readonly sizeBytes: number
  chunks(advance: (bytes: number) => void): AsyncIterable<string>
}

export const openSource = async (file: string, format: Format | undefined): Promise<Source> => {
  const known = format ?? formatOf(file)
  return {
    file,
    format: known,
    ...(await found(file)),
    async *chunks(advance) {
      const stream = createReadStream(file)
      const decoder = new TextDecoder('utf-8', { fatal: true })
      for await (const chunk of stream) {
        advance(chunk.length)
        yield await decode(file, () => decoder.decode(chunk, { stream: true }))
      }
      yield await decode(file, () => decoder.decode())
    },
  }
}

const decode = async (file: string, read: () => string) => {
  try {
    return read()
  } catch {
    throw new ReadingStopped(`${file} is not UTF-8 in line ${await otherLine(file)}.`)
  }
}

/** The first line that is not UTF-8. It is looked for only once it is known to be there. */
const otherLine = async (file: string) => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  for await (const chunk of createReadStream(file, 'latin1'))
    for (const piece of String(chunk).split(/(?<=\n)/)) {
      try {
        decoder.decode(Buffer.from(piece, 'latin1'), { stream: true })
      } catch {
        return line
      }
      if (piece.endsWith('\n')) line++
    }
  return line
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

/** A hash of what the file contains, read as its format. */
export const contentOf = async ({ file, path, format }: Source): Promise<string> => {
  try {
    const hash = createHash('sha256').update(`${format} `)
    for await (const chunk of createReadStream(path)) hash.update(chunk)
    return hash.digest('base64url')
  } catch (error) {
    throw namingFile(file, 'read', error)
  }
}

/** The records of a file. If reading fails partway, this throws after the records before that point. */
export async function* entriesOf(
  source: Source,
  imported: JsonSchema,
  advance: (bytes: number) => void,
): AsyncGenerator<Entry> {
  const chunks = source.chunks(advance)
  let element = 0
  try {
    for await (const line of readLines(source.format, chunks, imported))
      yield source.format === 'json' ? { ...line, element: ++element } : line
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new ReadingStopped(`The file cannot be read further: ${messageOf(error)}.`)
  }
}
