import type { Failure } from '#console/app/api/failure.ts'
import { notifyFinal } from '#console/app/state/notes.ts'
import { route } from '#console/app/state/route.ts'
import { store } from '#console/app/state/store.ts'
import { holdOpen } from '#console/app/state/unsaved.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import { batchOf, type Mapping, mappingOf, remember } from './mapping.ts'
import { bytesOf, type Table, tableOf, type Unreadable } from './read.ts'
import { type Batch, isFaulty } from './record.ts'
import { savePasswords } from './report.ts'
import { type Refusal, sender } from './send.ts'

/** What was read of a file, and how it is understood. */
export interface Loaded {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly table: Table
  readonly mapping: Mapping
  readonly batch: Batch
}

/** The state of an import. */
export interface Course {
  readonly phase: 'choosing' | 'reading' | 'unreadable' | 'ready' | 'running' | 'halted' | 'stopped' | 'done'
  readonly fileName: string
  readonly unreadable?: Unreadable
  readonly loaded?: Loaded
  readonly done: number
  readonly refusals: readonly Refusal[]
  /** Why it cannot continue for now. */
  readonly failure?: Failure
  readonly perSecond: number
}

const beginning: Course = { phase: 'choosing', fileName: '', done: 0, refusals: [], perSecond: 0 }

/** The minimum time between renders of the page. */
const drawIntervalMs = 120

/** Outlives the page: an import continues while the user visits other pages. */
export const course = store(beginning)

let controller = new AbortController()
/** Records not sent yet are lost if the page closes. */
let allowClosing = () => {}
/** What was chosen last: the mended file of refused records needs the same. */
let chosen: Partial<Mapping> = {}
let send: ReturnType<typeof sender> | undefined

/** Reads a file. Several at once are refused, because all but one would be ignored. */
export const choose = async (files: readonly File[]) => {
  const [file, ...others] = files
  if (!file) return
  const fileName = files.map(({ name }) => name).join(', ')
  const reading: Course = { ...beginning, phase: 'reading', fileName }
  course.set(reading)
  // The file may be gone, or too large for the memory of the page.
  const found =
    others.length > 0
      ? ({ why: 'several' } as const)
      : await bytesOf(file)
          .then((bytes) => ('why' in bytes ? bytes : loadedFrom(bytes)))
          .catch((): Unreadable => ({ why: 'failed' }))
  // Another file was chosen meanwhile.
  if (course.get() !== reading) return
  if ('why' in found) course.set({ ...beginning, phase: 'unreadable', fileName, unreadable: found })
  else prepare(fileName, found)
}

const loadedFrom = (bytes: Loaded['bytes'], encoding?: Table['encoding']): Loaded | Unreadable => {
  const table = tableOf(bytes, encoding)
  if ('why' in table) return table
  const found = mappingOf(table)
  if ('why' in found) return found
  const order = found.order === 'open' ? (chosen.order ?? 'open') : found.order
  const mapping = { ...found, order, passwords: chosen.passwords ?? found.passwords }
  return { bytes, table, mapping, batch: batchOf(table, mapping) }
}

/** What is wrong with records is known, and shown, before anything is sent. */
const prepare = (fileName: string, loaded: Loaded) => {
  const refusals = loaded.batch.records.filter(isFaulty).map((record) => ({ record }))
  course.set({ ...beginning, phase: 'ready', fileName, loaded, refusals, done: refusals.length })
}

/** Understands the columns in another way. */
export const remap = (change: Partial<Mapping>) => {
  const { fileName, loaded } = course.get()
  if (!loaded) return
  const mapping = { ...loaded.mapping, ...change }
  chosen = { ...chosen, ...change }
  prepare(fileName, { ...loaded, mapping, batch: batchOf(loaded.table, mapping) })
}

/** Reads the letters of the file in another way. */
export const decodeAs = (encoding: Table['encoding']) => {
  const { fileName, loaded } = course.get()
  const again = loaded && loadedFrom(loaded.bytes, encoding)
  if (again && !('why' in again)) prepare(fileName, again)
}

/** Starts. Generated passwords are handed out first: nothing that happens later can lose them. */
export const start = () => {
  const { loaded } = course.get()
  if (!loaded) return
  const { table, mapping, batch } = loaded
  remember(table.headings, mapping)
  savePasswords(batch, wordsNow())
  send = sender(batch)
  return resume()
}

/** Goes on where it was stopped. */
export const resume = async () => {
  controller = new AbortController()
  const { signal } = controller
  allowClosing()
  allowClosing = holdOpen()
  const { failure: _, ...current } = course.get()
  const progress = progressFrom({ ...current, phase: 'running' }, course.set)
  const failure = await send?.(signal, progress.count)
  const phase = signal.aborted ? 'stopped' : failure ? 'halted' : 'done'
  if (phase === 'done') allowClosing()
  course.set({ ...progress.now(), phase, ...(failure && { failure }) })
  if (route.get().path[0] !== 'import') announceEnd(titleOf(course.get(), wordsNow()))
}

/** What became of it: it is done only if something was done. */
export const titleOf = ({ phase, done, refusals }: Course, { import: words }: Words) => {
  if (phase === 'running') return words.running
  if (phase !== 'done') return words.stopped
  return done > refusals.length ? words.done : words.nothing
}

const announceEnd = (title: string) => notifyFinal(`${wordsNow().pages.import}: ${title}`)

export const stop = () => controller.abort()

export const again = () => {
  allowClosing()
  course.set(beginning)
}

/** Requests run concurrently, and are answered in any order. */
const byLine = (one: Refusal, other: Refusal) => one.record.line - other.record.line

const progressFrom = (from: Course, show: (course: Course) => void) => {
  const refusals = [...from.refusals]
  const startedAtMs = performance.now()
  let done = from.done
  let drawnAtMs = startedAtMs
  const now = (): Course => {
    const seconds = (performance.now() - startedAtMs) / 1000
    return { ...from, done, refusals: refusals.toSorted(byLine), perSecond: (done - from.done) / seconds }
  }
  show(from)
  return {
    now,
    count(refusal?: Refusal) {
      done += 1
      if (refusal) refusals.push(refusal)
      if (performance.now() - drawnAtMs < drawIntervalMs) return
      drawnAtMs = performance.now()
      show(now())
    },
  }
}
