import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { messageOf } from '#core/cause.ts'
import { once } from '#core/once.ts'
import { Problem } from '#core/problem.ts'
import { type ErrorBody, errorBody } from '#http/wire/errors.ts'
import { allWords } from '#resources/words.ts'
import { UsageError } from '#src/cli/exit.ts'
import { orExplain } from '#src/cli/files.ts'
import { placeOf, type Where } from '#src/cli/formats/reading.ts'

export type Report = ReturnType<typeof openReport>

/**
 * Reports refused records, one per line: where and why, but never their content, which includes passwords. If the report
 * cannot be written, this throws at once, before any record is written.
 */
export const openReport = (file: string) => {
  /** Whether to remove the file when there is nothing to report. */
  let isOurs = !existsSync(file)
  const { descriptor, earlier } = orExplain(file, 'written', () => opened(file))
  let kept: readonly string[] = []
  const places = new Set<number>()
  const write = (line: string) => void orExplain(file, 'written', () => writeSync(descriptor, line))
  return {
    /** Keeps what an interrupted import had reported up to this place, and returns the number of lines kept. */
    keep(place: number) {
      const lines = earlier?.match(/^\{"line":\d+,.*\}\n/gm) ?? []
      kept = lines.filter((line) => placeOf(JSON.parse(line)) <= place)
      return kept.length
    },
    /** Overwrites an earlier report with what is kept of it, the first time: not before it is known to be of no other import. */
    overwrite: once(() => {
      if (earlier === undefined) return
      ftruncateSync(descriptor)
      for (const line of kept) write(line)
      isOurs = true
    }),
    /** Reports a record once, even if a transaction that conflicted with another runs again. */
    add(where: Where, reason: Omit<ErrorBody, 'target'>) {
      const { line, element } = where
      if (places.has(placeOf(where))) return
      places.add(placeOf(where))
      write(`${JSON.stringify({ line, element, ...reason })}\n`)
    },
    /** Returns the name of the report, if there is one. */
    close(): string | undefined {
      closeSync(descriptor)
      if (kept.length + places.size > 0) return file
      if (isOurs) rmSync(file, { force: true })
      return undefined
    },
  }
}

/**
 * A device or pipe may be named by a link, such as /dev/stdout. A link to a file is not followed, because an archive from
 * somebody else may contain one. An existing file is overwritten only if it is an earlier report.
 */
const opened = (file: string) => {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there && (!there.isFile() || file.startsWith('/dev/')))
    return { descriptor: openSync(file, 'a'), earlier: undefined }
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw noReport(file)
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants
  const descriptor = openSync(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
  const earlier = readFileSync(descriptor, 'utf8')
  if (isReport(earlier)) return { descriptor, earlier }
  closeSync(descriptor)
  throw noReport(file)
}

const noReport = (file: string) =>
  new UsageError(`${file} already exists and is not an import report: name another file with --report.`)

/** The last line may be incomplete, if the import was interrupted while writing it. */
const isReport = (text: string) => {
  const start = '{"line":'
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return lines.every((line) => line.startsWith(start)) && last.slice(0, 8) === start.slice(0, last.length)
}

/** What the report says about a record that this command itself refuses. */
export const reasonOf = (error: unknown): ErrorBody => {
  if (error instanceof Problem) return errorBody(error.resolved, allWords.en)
  return { code: 'e.xx.fw.7003', message: messageOf(error) }
}
