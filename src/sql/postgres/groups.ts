import { storageUnavailable } from '#core/problem.ts'
import type { Query } from '#sql/query.ts'
import { slots } from '#sql/slots.ts'
import { codeOf, isHarmless, StatementRefused } from './errors.ts'
import { heldRecords } from './held.ts'
import type { Limits } from './limits.ts'

interface GroupsOptions {
  readonly limits: Limits
  /** Runs these in one transaction: all of them or none. */
  readonly together: (queries: readonly Query[]) => Promise<readonly number[]>
  /** Runs this one in a transaction of its own. */
  readonly alone: (query: Query) => Promise<number>
  /** The refusal that the caller gets for an error. */
  readonly refusalOf: (error: unknown) => unknown
}

interface Write {
  readonly query: Query
  readonly requestedAt: number
  tries: number
  readonly resolve: (changed: number | Promise<number>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Groups single-statement writes: those of one turn of the event loop, and those that arrive while all groups are running,
 * share a transaction (decision 0034). A failing write does not fail the others: it is retried alone, the others together.
 */
export const groups = ({ limits, together, alone, refusalOf }: GroupsOptions) => {
  let waiting: Write[] = []
  let underWay = 0
  let isScheduled = false
  let isWatching = false
  const held = heldRecords(limits.lockMs)
  const refusal = () => refusalOf(storageUnavailable(new Error('writes are not answered')))
  const { aloneWaitMs, maxWaiting, waitMs } = limits
  const places = slots({ places: limits.alone, maxWaiting, waitMs: aloneWaitMs, refusal })

  const runAlone = async (query: Query): Promise<number> => {
    await places.take()
    try {
      const changed = await alone(query)
      held.delete(query.keys)
      return changed
    } catch (error) {
      if (isLockTimeout(error)) held.add(query.keys)
      throw error
    } finally {
      places.release()
    }
  }

  const beginSoon = () => {
    if (isScheduled || underWay >= limits.groups || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      begin()
    })
  }

  const begin = () => {
    const group = waiting.slice(0, limits.groupedWrites)
    if (group.length === 0) return
    waiting = waiting.slice(group.length)
    underWay++
    beginSoon()
    void commit(inLockOrder(group)).finally(() => {
      underWay--
      beginSoon()
    })
  }

  const commit = async (group: readonly Write[]) => {
    try {
      const changed = await together(group.map(({ query }) => query))
      group.forEach(({ resolve }, index) => {
        resolve(changed[index] ?? 0)
      })
    } catch (error) {
      if (isHarmless(error)) split(group, error)
      else refuse(group, refusalOf(error))
    }
  }

  /** The refused write is retried alone, and so are those tried too often; the others come first in the next group. */
  const split = (group: readonly Write[], error: unknown) => {
    const refused = error instanceof StatementRefused ? group[error.index] : undefined
    if (refused && isLockTimeout(error)) held.add(refused.query.keys)
    const mustRunAlone = (write: Write) =>
      !refused || write === refused || ++write.tries >= limits.groupTries || held.has(write.query.keys)
    const separate = new Set(group.filter(mustRunAlone))
    for (const { query, resolve } of separate) resolve(runAlone(query))
    waiting = [...group.filter((write) => !separate.has(write)), ...waiting]
  }

  const refuse = (writes: readonly Write[], error: unknown) => {
    for (const { reject } of writes) reject(error)
  }

  const refuseLate = () => {
    const late = waiting.filter(({ requestedAt }) => performance.now() - requestedAt >= waitMs)
    waiting = waiting.filter((write) => !late.includes(write))
    for (const { reject } of late) reject(refusal())
    isWatching = false
    if (waiting.length > 0) watch(limits.groupCheckMs)
  }
  const watch = (ms: number) => {
    if (isWatching) return
    isWatching = true
    setTimeout(refuseLate, ms).unref()
  }

  return {
    run: (query: Query): Promise<number> =>
      new Promise((resolve, reject) => {
        if (held.has(query.keys)) return resolve(runAlone(query))
        if (waiting.length >= maxWaiting) return reject(refusal())
        waiting.push({ query, requestedAt: performance.now(), tries: 0, resolve, reject })
        beginSoon()
        watch(waitMs)
      }),
  }
}

const isLockTimeout = (error: unknown) => codeOf(error) === '55P03'

/** Groups that change the same records lock them in the same order, so that they cannot deadlock. */
const inLockOrder = (group: readonly Write[]): readonly Write[] =>
  group.length === 1 ? group : group.toSorted((one, other) => compare(keyOf(one), keyOf(other)))

const keyOf = ({ query }: Write) => query.keys[0] ?? ''

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
