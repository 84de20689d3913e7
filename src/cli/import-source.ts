import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { messageOf } from '#core/cause.ts'
import type { JsonSchema } from '#http/schema.ts'
import { WrongUse } from './exit.ts'
import { type Format, type Line, readLines } from './formats/reading.ts'
import { said } from './named-files.ts'
import type { ProgressBar } from './progress.ts'

export interface Source {
  readonly file: string
  readonly format: Format
  readonly sizeBytes: number
  /** The same for the same file, another for another one. */
  readonly identity: string
  chunks(advance: (bytes: number) => void): AsyncIterable<string>
}

export const openSource = async (file: string, format: Format | undefined): Promise<Source> => {
  const known = format ?? ({ '.json': 'json', '.csv': 'csv' } as const)[extname(file)] ?? 'ndjson'
  const { sizeBytes, identity } = await identified(file)
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
    throw new WrongUse(`${file} is not UTF-8.`)
  }
}

const identityBytes = 1024 * 1024

const identified = async (file: string) => {
  try {
    await using handle = await open(file)
    const { size: sizeBytes } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(identityBytes), 0, identityBytes, 0)
    const hash = createHash('sha256').update(`${sizeBytes} `).update(buffer.subarray(0, bytesRead))
    return { sizeBytes, identity: hash.digest('base64url') }
  } catch (error) {
    throw said(file, 'read', error)
  }
}

/** The lines of it, up to the one from which it cannot be read on. */
export async function* linesOf(source: Source, imported: JsonSchema, bar: ProgressBar): AsyncGenerator<Line> {
  const chunks = source.chunks((bytes) => bar.advance(bytes))
  try {
    yield* readLines(source.format, chunks, imported)
  } catch (error) {
    if (error instanceof WrongUse) throw error
    throw new WrongUse(`The file cannot be read on: ${messageOf(error)}.`)
  }
}
