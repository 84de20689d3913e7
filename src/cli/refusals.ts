import { closeSync, createWriteStream, existsSync, openSync, rmSync, type WriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { ErrorBody } from '#http/errors.ts'
import { orSay, said } from './whole-file.ts'

export interface Outcome {
  written: number
  refused: number
  skipped: number
}

/**
 * Tells of refused records, one a line: where, and why; never what it said, for that holds passwords. Where that cannot be
 * told, it throws at once, before anything is written that would then be told of to nobody.
 */
export const refusals = (file: string) => {
  const isNew = !existsSync(file)
  orSay(file, 'written', () => closeSync(openSync(file, 'a', 0o600)))
  let stream: WriteStream | undefined
  return {
    tell(line: number, reason: Omit<ErrorBody, 'target'>) {
      // What went wrong is said at the end.
      stream ??= createWriteStream(file, { mode: 0o600 }).on('error', () => undefined)
      stream.write(`${JSON.stringify({ line, ...reason })}\n`)
    },
    /** A report of nothing is none. */
    forgetEmpty() {
      if (isNew && !stream) rmSync(file, { force: true })
    },
    async close(): Promise<string | undefined> {
      const opened = stream
      if (!opened) return undefined
      try {
        await finished(opened.end())
      } catch (error) {
        throw said(file, 'written', error)
      }
      return file
    },
  }
}

export type Refusals = ReturnType<typeof refusals>
