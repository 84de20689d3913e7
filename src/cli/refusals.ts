import { createWriteStream, type WriteStream } from 'node:fs'
import type { ErrorBody } from '#http/errors.ts'

export interface Outcome {
  written: number
  refused: number
  skipped: number
}

/** Tells of refused records, one a line: where, and why; never what it said, for that holds passwords. */
export const refusals = (file: string) => {
  let stream: WriteStream | undefined
  return {
    tell(line: number, reason: Omit<ErrorBody, 'target'>) {
      stream ??= createWriteStream(file, { mode: 0o600 })
      stream.write(`${JSON.stringify({ line, ...reason })}\n`)
    },
    async close(): Promise<string | undefined> {
      const opened = stream
      if (!opened) return undefined
      await new Promise<void>((resolve) => opened.end(resolve))
      return file
    },
  }
}

export type Refusals = ReturnType<typeof refusals>
