import type { Columns } from './columns.ts'
import { isStale, type ServerError, skipped } from './errors.ts'
import type { PendingRequest } from './request.ts'

interface AnswerQueueParts {
  /** Sends it once more, in another batch. */
  readonly resend: (pending: PendingRequest) => void
  /** Called when somebody has waited too long. */
  readonly timedOut: () => void
}

/** Marks the end of each batch. */
const endOfBatch = Symbol('end of batch')

/** A new plan is rarely stale at once: only if a table changes all the time. */
const maxPlans = 4

/** Just below the longest delay of a timer. */
const maxTimerMs = 2_000_000_000

export type AnswerQueue = ReturnType<typeof answerQueue>

/** The statements that wait for an answer, in the order in which the server answers. */
export const answerQueue = ({ resend, timedOut }: AnswerQueueParts) => {
  const queue: (PendingRequest | typeof endOfBatch)[] = []
  let isRefused = false
  let nextCheck: NodeJS.Timeout | undefined
  let nextCheckAt = Number.POSITIVE_INFINITY
  let resolveEmpty: (() => void) | undefined

  /** One timer serves all. */
  const watch = (dueAt: number) => {
    if (dueAt >= nextCheckAt) return
    clearTimeout(nextCheck)
    nextCheckAt = dueAt
    nextCheck = setTimeout(check, Math.min(Math.max(dueAt - performance.now(), 1), maxTimerMs)).unref()
  }

  const check = () => {
    nextCheckAt = Number.POSITIVE_INFINITY
    let dueAt = Number.POSITIVE_INFINITY
    for (const each of queue) if (each !== endOfBatch) dueAt = Math.min(dueAt, each.dueAt)
    if (performance.now() >= dueAt) timedOut()
    else watch(dueAt)
  }

  const first = () => {
    const [pending] = queue
    return pending === endOfBatch ? undefined : pending
  }

  const succeeded = (pending: PendingRequest) => {
    queue.shift()
    pending.succeed()
  }

  /** The server has reached the end of the batch: whatever is still queued before it was not done. */
  const skipBatch = () => {
    for (let pending = queue.shift(); pending && pending !== endOfBatch; pending = queue.shift()) {
      if (pending.request.isRepeatable) resend(pending)
      else pending.reject(skipped())
    }
  }

  return {
    first,

    push(pending: PendingRequest) {
      queue.push(pending)
      watch(pending.dueAt)
    },

    endBatch: () => void queue.push(endOfBatch),

    described(columns: Columns) {
      const pending = first()
      if (!pending?.statement) return pending?.described(columns)
      pending.statement.columns = columns
      pending.statement.isPrepared = true
    },

    warned(warning: string) {
      const pending = first()
      if (pending) pending.warning = warning
    },

    completed(tag: string) {
      const pending = first()
      pending?.done(tag)
      if (pending?.statement) succeeded(pending)
    },

    /** If no statement is pending, the server is ending the connection and says why. */
    refused(error: ServerError) {
      const pending = first()
      if (!pending) return
      isRefused = true
      if (!pending.statement) return pending.reject(error)
      queue.shift()
      if (isStale(error)) pending.statement.isPrepared = false
      if (isStale(error) && pending.request.isRepeatable && pending.plans++ < maxPlans) resend(pending)
      else pending.reject(error)
    },

    /** The server is ready for another batch. A text that was sent verbatim is a batch of its own. */
    batchEnded() {
      const pending = first()
      if (!pending || pending.statement) skipBatch()
      else if (isRefused) queue.shift()
      else succeeded(pending)
      isRefused = false
      if (queue.length === 0) resolveEmpty?.()
    },

    oldest(): PendingRequest | undefined {
      for (const each of queue) if (each !== endOfBatch) return each
      return undefined
    },

    /** Resolves when nobody waits any longer. */
    end: async () => {
      if (queue.length > 0) await new Promise<void>((resolve) => (resolveEmpty = resolve))
    },

    /** Rejects all: nobody will be answered. */
    fail(error: unknown) {
      clearTimeout(nextCheck)
      for (const pending of queue.splice(0)) if (pending !== endOfBatch) pending.reject(error)
      resolveEmpty?.()
    },
  }
}
