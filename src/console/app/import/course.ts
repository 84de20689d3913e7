import type { Failure } from '#console/app/api/failure.ts'
import { notify } from '#console/app/state/notes.ts'
import { route } from '#console/app/state/route.ts'
import { store } from '#console/app/state/store.ts'
import { holdOpen } from '#console/app/state/unsaved.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { readFile } from './read.ts'
import type { Batch, Unreadable } from './record.ts'
import { type Refusal, sender } from './send.ts'

/** The state of an import. */
export interface Course {
  readonly phase: 'choosing' | 'reading' | 'unreadable' | 'ready' | 'running' | 'halted' | 'stopped' | 'done'
  readonly fileName: string
  readonly unreadable?: Unreadable
  readonly batch?: Batch
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
      : await readFile(file).catch((): Unreadable => ({ why: 'failed' }))
  // Another file was chosen meanwhile.
  if (course.get() !== reading) return
  if ('why' in found) return course.set({ ...beginning, phase: 'unreadable', fileName, unreadable: found })
  send = sender(found)
  course.set({ ...beginning, phase: 'ready', fileName, batch: found })
}

/** Starts, or resumes where it was stopped. */
export const start = async () => {
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
  if (route.get().path[0] !== 'import') announceEnd(phase === 'done')
}

const announceEnd = (isDone: boolean) => {
  const { pages, import: words } = wordsNow()
  notify(`${pages.import}: ${isDone ? words.done : words.stopped}`)
}

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
