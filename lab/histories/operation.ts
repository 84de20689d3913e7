import type { Event, Op } from './event.ts'

/** An invoke with its end. Without a known end, the operation may take effect at any time after its invoke. */
export interface Operation {
  readonly process: number
  readonly op: Op
  readonly key: string | undefined
  /** The requested value. */
  readonly value: string | null | undefined
  readonly from: string | undefined
  readonly outcome: 'ok' | 'fail' | 'info'
  /** The value in the answer. */
  readonly seen: string | null | undefined
  readonly error: string | undefined
  readonly instance: string | undefined
  readonly invokedNs: number
  /** Infinity if the outcome is unknown. */
  readonly endedNs: number
}

/** A process performs one operation at a time, so an end belongs to its last invoke. */
export const operationsOf = (events: readonly Event[]): Operation[] => {
  const operations: Operation[] = []
  const pending = new Map<number, Event>()
  for (const event of events) {
    const invoke = pending.get(event.process)
    if (event.type === 'invoke') {
      if (invoke) operations.push(unfinished(invoke))
      pending.set(event.process, event)
    } else {
      if (!invoke) throw new Error(`process ${event.process} ended ${event.op}, which it did not begin`)
      pending.delete(event.process)
      operations.push(completed(invoke, event))
    }
  }
  return [...operations, ...[...pending.values()].map(unfinished)].sort((a, b) => a.invokedNs - b.invokedNs)
}

const completed = (invoke: Event, end: Event): Operation => ({
  ...common(invoke),
  key: end.key ?? invoke.key,
  outcome: end.type === 'invoke' ? 'info' : end.type,
  seen: end.value,
  error: end.error,
  endedNs: end.type === 'info' ? Number.POSITIVE_INFINITY : end.ns,
})

const unfinished = (invoke: Event): Operation => ({
  ...common(invoke),
  key: invoke.key,
  outcome: 'info',
  seen: undefined,
  error: 'never ended',
  endedNs: Number.POSITIVE_INFINITY,
})

const common = ({ process, op, value, from, instance, ns }: Event) => ({
  process,
  op,
  value,
  from,
  instance,
  invokedNs: ns,
})
