import type { Asked } from './asked.ts'
import type { Columns } from './columns.ts'
import { isStale, type ServerError, skipped } from './errors.ts'

interface LineParts {
  /** Asks it once more, of another batch. */
  readonly again: (asked: Asked) => void
  /** Somebody has waited for too long. */
  readonly tooLate: () => void
}

/** Stands at the end of each batch. */
const endOfBatch = Symbol('end of batch')

/** A new plan is seldom stale at once: only where a table changes all the time. */
const mostPlans = 4

/** A timer cannot wait for longer. */
const longestMs = 2_000_000_000

export type Line = ReturnType<typeof lineOf>

/** Those who wait for an answer, in the order in which the server answers. */
export const lineOf = ({ again, tooLate }: LineParts) => {
  const line: (Asked | typeof endOfBatch)[] = []
  let isRefused = false
  let nextLook: NodeJS.Timeout | undefined
  let nextLookAt = Number.POSITIVE_INFINITY
  let emptied: (() => void) | undefined

  /** One timer looks after all. */
  const watch = (dueAt: number) => {
    if (dueAt >= nextLookAt) return
    clearTimeout(nextLook)
    nextLookAt = dueAt
    nextLook = setTimeout(look, Math.min(Math.max(dueAt - performance.now(), 1), longestMs)).unref()
  }

  const look = () => {
    nextLookAt = Number.POSITIVE_INFINITY
    let dueAt = Number.POSITIVE_INFINITY
    for (const each of line) if (each !== endOfBatch) dueAt = Math.min(dueAt, each.dueAt)
    if (performance.now() >= dueAt) tooLate()
    else watch(dueAt)
  }

  const first = () => {
    const [asked] = line
    return asked === endOfBatch ? undefined : asked
  }

  const succeeded = (asked: Asked) => {
    line.shift()
    asked.succeed()
  }

  /** The server has reached the end of the batch: what still stands before it was not done. */
  const skipBatch = () => {
    for (let asked = line.shift(); asked && asked !== endOfBatch; asked = line.shift()) {
      if (asked.wanted.isRepeatable) again(asked)
      else asked.reject(skipped())
    }
  }

  return {
    first,

    push(asked: Asked) {
      line.push(asked)
      watch(asked.dueAt)
    },

    endBatch: () => void line.push(endOfBatch),

    parsed() {
      const statement = first()?.statement
      if (statement) statement.isParsed = true
    },

    described(columns: Columns) {
      const asked = first()
      if (asked?.statement) asked.statement.columns = columns
      else asked?.described(columns)
    },

    completed(tag: string) {
      const asked = first()
      asked?.done(tag)
      if (asked?.statement) succeeded(asked)
    },

    /** When nobody asked, the server ends the connection and says why. */
    refused(error: ServerError) {
      const asked = first()
      if (!asked) return
      isRefused = true
      if (!asked.statement) return asked.reject(error)
      line.shift()
      if (isStale(error)) asked.statement.isParsed = false
      if (isStale(error) && asked.wanted.isRepeatable && asked.plans++ < mostPlans) again(asked)
      else asked.reject(error)
    },

    /** The server is ready for another batch. What was sent as it stands is one by itself. */
    batchEnded() {
      const asked = first()
      if (!asked || asked.statement) skipBatch()
      else if (isRefused) line.shift()
      else succeeded(asked)
      isRefused = false
      if (line.length === 0) emptied?.()
    },

    oldest(): Asked | undefined {
      for (const each of line) if (each !== endOfBatch) return each
      return undefined
    },

    /** Comes when nobody waits any more. */
    end: async () => {
      if (line.length > 0) await new Promise<void>((resolve) => (emptied = resolve))
    },

    /** Nobody will be answered. */
    fail(error: unknown) {
      clearTimeout(nextLook)
      for (const asked of line.splice(0)) if (asked !== endOfBatch) asked.reject(error)
      emptied?.()
    },
  }
}
