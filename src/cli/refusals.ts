import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { messageOf } from '#core/cause.ts'
import { commonWords } from '#core/messages.ts'
import { Problem } from '#core/problem.ts'
import { mergeWords } from '#core/words.ts'
import { type ErrorBody, errorBody } from '#http/errors.ts'
import { resources } from '#resources/index.ts'
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
  /** Whether it goes again where it tells of nothing. */
  let isOurs = !existsSync(file)
  const descriptor = orSay(file, 'written', () => openSync(file, 'a', 0o600))
  let told = 0
  const places = new Set<number>()
  const write = (line: string) => void orSay(file, 'written', () => writeSync(descriptor, line))
  return {
    /** Keeps what was told up to this place before the import was cut off, and says how much that is: at 0 nothing. */
    begin(place: number) {
      if (!fstatSync(descriptor).isFile()) return 0
      const kept = place > 0 ? toldUpTo(file, place) : []
      ftruncateSync(descriptor)
      for (const line of kept) write(line)
      isOurs = lstatSync(file).isFile()
      told = kept.length
      return told
    },
    /** Once of each: a transaction that others interfered with runs again. */
    tell(where: Where, reason: Omit<ErrorBody, 'target'>) {
      const { line, element } = where
      if (places.has(placeOf(where))) return
      places.add(placeOf(where))
      write(`${JSON.stringify({ line, element, ...reason })}\n`)
      told++
    },
    /** A report of nothing is none. */
    close(): string | undefined {
      closeSync(descriptor)
      if (told > 0) return file
      if (isOurs) rmSync(file, { force: true })
      return undefined
    },
  }
}

/** What is told of a record that this command itself refuses. */
export const reasonOf = (error: unknown): ErrorBody => {
  if (error instanceof Problem) return errorBody(error.said, allWords.en)
  return { code: 'e.xx.fw.7003', message: messageOf(error) }
}

const allWords = mergeWords([commonWords, ...resources.map((resource) => resource.words)])

/** The lines of a report; the last may have been cut off amid its writing. */
const toldUpTo = (file: string, last: number): readonly string[] =>
  (readFileSync(file, 'utf8').match(/^\{"line":\d+,.*\}\n/gm) ?? []).filter(
    (told) => placeOf(JSON.parse(told) as Where) <= last,
  )

export type Refusals = ReturnType<typeof refusals>
