import { useEffect, useRef, useState } from 'preact/hooks'
import type { Failure } from '#console/app/api/failure.ts'
import { readFile } from './read.ts'
import type { Batch, Unreadable } from './record.ts'
import { type Refusal, sender } from './send.ts'

/** Where an import stands. */
export interface Course {
  readonly phase: 'choosing' | 'reading' | 'unreadable' | 'ready' | 'running' | 'halted' | 'stopped' | 'done'
  readonly fileName: string
  readonly why?: Unreadable
  readonly batch?: Batch
  readonly done: number
  readonly refusals: readonly Refusal[]
  /** Why it cannot go on for now. */
  readonly failure?: Failure
  readonly perSecond: number
}

const beginning: Course = { phase: 'choosing', fileName: '', done: 0, refusals: [], perSecond: 0 }

/** The page is drawn anew no more often than this. */
const drawEveryMs = 120

export const useCourse = () => {
  const [course, setCourse] = useState(beginning)
  const giveUp = useRef(new AbortController())
  const send = useRef<ReturnType<typeof sender>>(undefined)
  useEffect(() => () => giveUp.current.abort(), [])

  const choose = async (file: File) => {
    setCourse({ ...beginning, phase: 'reading', fileName: file.name })
    const found = await readFile(file)
    if (typeof found === 'string') {
      setCourse({ ...beginning, phase: 'unreadable', fileName: file.name, why: found })
      return
    }
    send.current = sender(found)
    setCourse({ ...beginning, phase: 'ready', fileName: file.name, batch: found })
  }

  const run = async (now: Course) => {
    giveUp.current = new AbortController()
    const { signal } = giveUp.current
    const { failure: _, ...begun } = now
    const progress = progressFrom({ ...begun, phase: 'running' }, setCourse)
    const failure = await send.current?.(signal, progress.count)
    const phase = signal.aborted ? 'stopped' : failure ? 'halted' : 'done'
    setCourse({ ...progress.now(), phase, ...(failure && { failure }) })
  }

  return {
    course,
    choose,
    start: () => void run(course),
    stop: () => giveUp.current.abort(),
    again: () => setCourse(beginning),
  }
}

const progressFrom = (from: Course, show: (course: Course) => void) => {
  const refusals = [...from.refusals]
  const startedAtMs = performance.now()
  let done = from.done
  let drawnAtMs = startedAtMs
  const now = (): Course => {
    const seconds = (performance.now() - startedAtMs) / 1000
    return { ...from, done, refusals: [...refusals], perSecond: (done - from.done) / seconds }
  }
  show(from)
  return {
    now,
    count(refusal?: Refusal) {
      done += 1
      if (refusal) refusals.push(refusal)
      if (performance.now() - drawnAtMs < drawEveryMs) return
      drawnAtMs = performance.now()
      show(now())
    },
  }
}
