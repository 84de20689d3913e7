import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { disturber, type Event, type Op, toLine } from './event.ts'

export interface Asked {
  readonly process: number
  readonly op: Op
  readonly key?: string | undefined
  readonly value?: string | undefined
  readonly from?: string | undefined
  readonly instance?: string | undefined
}

export interface End {
  readonly type: 'ok' | 'fail' | 'info'
  readonly key?: string | undefined
  readonly value?: string | null | undefined
  readonly error?: string | undefined
}

export interface Stretch {
  readonly ms: number
  readonly events?: number
}

const fewestEvents = 200

/** What goes on for longer with too little in it is judged as it is. */
const longestStretchMs = 30_000

export type Recorder = ReturnType<typeof recorder>

/** Keeps a history while it happens. */
export const recorder = () => {
  const events: Event[] = []
  const startNs = process.hrtime.bigint()
  const ns = () => Number(process.hrtime.bigint() - startNs)
  return {
    events,
    ns,

    /** The end says what came of it; what throws has an unknown fate. */
    async around<T extends End>(asked: Asked, work: () => Promise<T>): Promise<T> {
      events.push({ ...asked, type: 'invoke', ns: ns() })
      const end = await work()
      events.push({ process: asked.process, op: asked.op, ...end, ns: ns() })
      return end
    },

    /** A row that a list showed, which was asked for at that time. */
    row(asked: Asked, seen: string, askedNs: number) {
      events.push({ ...asked, type: 'invoke', ns: askedNs })
      events.push({ process: asked.process, op: asked.op, type: 'ok', value: seen, ns: ns() })
    },

    /** Lets it go on for so long at least and until so many more events have come: machines are slow at times. */
    async goOn({ ms, events: more = fewestEvents }: Stretch) {
      const enough = events.length + more
      const givenUpAt = performance.now() + longestStretchMs
      await sleep(ms)
      while (events.length < enough && performance.now() < givenUpAt) await sleep(20)
    },

    async fault<T>(name: string, work: () => Promise<T>): Promise<T> {
      events.push({ process: disturber, op: 'fault', type: 'invoke', value: name, ns: ns() })
      const result = await work()
      events.push({ process: disturber, op: 'fault', type: 'ok', ns: ns() })
      return result
    },

    save(file: string) {
      writeFileSync(file, events.map(toLine).join(''))
    },
  }
}
