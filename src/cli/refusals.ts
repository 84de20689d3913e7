import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import type { ErrorBody } from '#http/errors.ts'
import { placeOf, type Where } from './import-source.ts'
import { orSay } from './named-files.ts'

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
  const open = (flags: 'a' | 'w') => orSay(file, 'written', () => openSync(file, flags, 0o600))
  closeSync(open('a'))
  let descriptor: number | undefined
  let told = 0
  const places = new Set<number>()
  return {
    /** Keeps what was told up to this place before the import was cut off, and says how much that is. */
    goOn(place: number) {
      if (!statSync(file).isFile()) return 0
      const kept = toldUpTo(file, place)
      orSay(file, 'written', () => writeFileSync(file, kept.join('')))
      descriptor = open('a')
      told = kept.length
      return told
    },
    /** Once of each: a transaction that others interfered with runs again. */
    tell(where: Where, reason: Omit<ErrorBody, 'target'>) {
      const { line, element } = where
      if (places.has(placeOf(where))) return
      places.add(placeOf(where))
      descriptor ??= open('w')
      const to = descriptor
      orSay(file, 'written', () => writeSync(to, `${JSON.stringify({ line, element, ...reason })}\n`))
      told++
    },
    /** A report of nothing is none. */
    close(): string | undefined {
      if (descriptor !== undefined) closeSync(descriptor)
      if (told > 0) return file
      if (isNew) rmSync(file, { force: true })
      return undefined
    },
  }
}

/** The lines of a report; the last may have been cut off amid its writing. */
const toldUpTo = (file: string, last: number): readonly string[] =>
  (readFileSync(file, 'utf8').match(/^\{"line":\d+,.*\}\n/gm) ?? []).filter(
    (told) => placeOf(JSON.parse(told) as Where) <= last,
  )

export type Refusals = ReturnType<typeof refusals>
