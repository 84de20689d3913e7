import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import type { JsonSchema } from '#http/schema.ts'
import { WrongUse } from './exit.ts'
import { type Format, readLines } from './formats/reading.ts'
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
  const sizeBytes = await sizeOf(file)
  return {
    file,
    format: known,
    sizeBytes,
    identity: await identityOf(file, sizeBytes),
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

const sizeOf = async (file: string) => {
  try {
    return statSync(file).size
  } catch (error) {
    throw new WrongUse(`${file} cannot be read: ${error instanceof Error ? error.message : error}.`)
  }
}

const identityBytes = 1024 * 1024

const identityOf = async (file: string, sizeBytes: number) => {
  const handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(identityBytes), 0, identityBytes, 0)
  await handle.close()
  return createHash('sha256')
    .update(`${sizeBytes} `)
    .update(buffer.subarray(0, bytesRead))
    .digest('base64url')
}

export const linesOf = (source: Source, imported: JsonSchema, bar: ProgressBar) =>
  readLines(
    source.format,
    source.chunks((bytes) => bar.advance(bytes)),
    imported,
  )
