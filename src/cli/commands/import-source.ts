import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { messageOf } from '#core/cause.ts'
import type { JsonSchema } from '#http/schema.ts'
import { UsageError } from '#src/cli/exit.ts'
import { formatOf } from '#src/cli/format.ts'
import { type Format, type Line, readLines } from '#src/cli/formats/reading.ts'
import { namingFile } from '#src/cli/named-files.ts'
import type { ProgressBar } from '#src/cli/progress.ts'

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
  readonly format: Format
  readonly sizeBytes: number
  /** A hash of the size and the first mebibyte. Files that agree in both count as the same file. */
  readonly identity: string
  chunks(advance: (bytes: number) => void): AsyncIterable<string>
}

export const openSource = async (file: string, format: Format | undefined): Promise<Source> => {
  const known = format ?? formatOf(file)
  const { sizeBytes, identity } = await identified(file, known)
  return {
    file,
    format: known,
    sizeBytes,
    identity,
    async *chunks(advance) {
      const stream = createReadStream(file)
      const decoder = new TextDecoder('utf-8', { fatal: true })
      for await (const chunk of stream) {
        advance(chunk.length)
        yield decode(file, () => decoder.decode(chunk, { stream: true }))
      }
      yield decode(file, () => decoder.decode())
    },
  }
}

const decode = (file: string, read: () => string) => {
  try {
    return read()
  } catch {
    throw new UsageError(`${file} is not UTF-8.`)
  }
}

const identityBytes = 1024 * 1024

/** Earlier versions counted lines in arrays too, so their marks must not be found under this name. */
const countedBy = { ndjson: '', csv: '', json: 'elements ' }

const identified = async (file: string, format: Format) => {
  try {
    await using handle = await open(file)
    const { size: sizeBytes } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(identityBytes), 0, identityBytes, 0)
    const hash = createHash('sha256')
      .update(`${countedBy[format]}${sizeBytes} `)
      .update(buffer.subarray(0, bytesRead))
    return { sizeBytes, identity: hash.digest('base64url') }
  } catch (error) {
    throw namingFile(file, 'read', error)
  }
}

/** The records of a file. If reading fails partway, this throws after the records before that point. */
export async function* entriesOf(
  source: Source,
  imported: JsonSchema,
  bar: ProgressBar,
): AsyncGenerator<Entry> {
  const chunks = source.chunks((bytes) => bar.advance(bytes))
  let element = 0
  try {
    for await (const line of readLines(source.format, chunks, imported))
      yield source.format === 'json' ? { ...line, element: ++element } : line
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The file cannot be read further: ${messageOf(error)}.`)
  }
}
