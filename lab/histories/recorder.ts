import { setTimeout as sleep } from 'node:timers/promises'
import { disturber, type Event, type Op } from './event.ts'

export interface Invocation {
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

export interface Duration {
  readonly ms: number
  readonly events?: number
}

const minEvents = 200

/** After this time a history is judged as it is, even with too few events. */
const maxMs = 30_000

export type Recorder = ReturnType<typeof recorder>

/** Records a history as it happens. */
export const recorder = () => {
  const events: Event[] = []
  const startNs = process.hrtime.bigint()
  const ns = () => Number(process.hrtime.bigint() - startNs)
  return {
    events,
    ns,

    /** Records an operation with its end; if the work throws, the outcome stays unknown. */
    async around<T extends End>(invocation: Invocation, work: () => Promise<T>): Promise<T> {
      events.push({ ...invocation, type: 'invoke', ns: ns() })
      const end = await work()
      events.push({ process: invocation.process, op: invocation.op, ...end, ns: ns() })
      return end
    },

    /** Records a row of a list that was requested at the given time. */
    row(invocation: Invocation, seen: string, requestedNs: number) {
      events.push({ ...invocation, type: 'invoke', ns: requestedNs })
      events.push({ process: invocation.process, op: invocation.op, type: 'ok', value: seen, ns: ns() })
    },

    /** Continues for at least the given time and until the given number of further events, since machines may be slow. */
    async goOn({ ms, events: more = minEvents }: Duration) {
      const enough = events.length + more
      const deadline = performance.now() + maxMs
      await sleep(ms)
      while (events.length < enough && performance.now() < deadline) await sleep(20)
    },

    async fault<T>(name: string, work: () => Promise<T>): Promise<T> {
      events.push({ process: disturber, op: 'fault', type: 'invoke', value: name, ns: ns() })
      const result = await work()
      events.push({ process: disturber, op: 'fault', type: 'ok', ns: ns() })
      return result
    },
  }
}
