import { storageUnavailable } from '#core/problem.ts'
import type { Query } from '#sql/query.ts'
import { slots } from '#sql/slots.ts'
import { codeOf, isHarmless, StatementRefused } from './errors.ts'
import { heldRecords } from './held.ts'
import type { Limits } from './limits.ts'

interface GroupsOptions {
  readonly limits: Limits
  /** Does these in one transaction, or none of them. */
  readonly together: (queries: readonly Query[]) => Promise<readonly number[]>
  /** Does this one in a transaction of its own. */
  readonly alone: (query: Query) => Promise<number>
  /** What the caller is told of an error. */
  readonly told: (error: unknown) => unknown
}

interface Write {
  readonly query: Query
  readonly askedAt: number
  tries: number
  readonly resolve: (changed: number | Promise<number>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes of one statement, which share a transaction with those of the same turn of the event loop and those that came
 * while all groups were under way (decision 0034). One that fails takes nobody along: it is done alone, the others again.
 */
export const groups = ({ limits, together, alone, told }: GroupsOptions) => {
  let waiting: Write[] = []
  let underWay = 0
  let isComing = false
  let isLooking = false
  const held = heldRecords(limits.lockMs)
  const refusal = () => told(storageUnavailable(new Error('writes are not answered')))
  const { aloneWaitMs, waiting: mostWaiting, waitMs } = limits
  const places = slots({ places: limits.alone, waiting: mostWaiting, waitMs: aloneWaitMs, refusal })

  const doAlone = async (query: Query): Promise<number> => {
    await places.take()
    try {
      const changed = await alone(query)
      held.delete(query.keys)
      return changed
    } catch (error) {
      if (isLockTimeout(error)) held.add(query.keys)
      throw error
    } finally {
      places.give()
    }
  }

  const beginSoon = () => {
    if (isComing || underWay >= limits.groups || waiting.length === 0) return
    isComing = true
    setImmediate(() => {
      isComing = false
      begin()
    })
  }

  const begin = () => {
    const group = waiting.slice(0, limits.groupedWrites)
    if (group.length === 0) return
    waiting = waiting.slice(group.length)
    underWay++
    beginSoon()
    void commit(inOneOrder(group)).finally(() => {
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
      if (isHarmless(error)) part(group, error)
      else refuse(group, told(error))
    }
  }

  /** The write that was refused goes alone, and so do those tried too often; the others come first in the next group. */
  const part = (group: readonly Write[], error: unknown) => {
    const refused = error instanceof StatementRefused ? group[error.index] : undefined
    if (refused && isLockTimeout(error)) held.add(refused.query.keys)
    const isLonely = (write: Write) =>
      !refused || write === refused || ++write.tries >= limits.groupTries || held.has(write.query.keys)
    const lonely = new Set(group.filter(isLonely))
    for (const { query, resolve } of lonely) resolve(doAlone(query))
    waiting = [...group.filter((write) => !lonely.has(write)), ...waiting]
  }

  const refuse = (writes: readonly Write[], error: unknown) => {
    for (const { reject } of writes) reject(error)
  }

  const look = () => {
    const late = waiting.filter(({ askedAt }) => performance.now() - askedAt >= waitMs)
    waiting = waiting.filter((write) => !late.includes(write))
    for (const { reject } of late) reject(refusal())
    isLooking = false
    if (waiting.length > 0) lookIn(limits.groupLookMs)
  }
  const lookIn = (ms: number) => {
    if (isLooking) return
    isLooking = true
    setTimeout(look, ms).unref()
  }

  return {
    run: (query: Query): Promise<number> =>
      new Promise((resolve, reject) => {
        if (held.has(query.keys)) return resolve(doAlone(query))
        if (waiting.length >= mostWaiting) return reject(refusal())
        waiting.push({ query, askedAt: performance.now(), tries: 0, resolve, reject })
        beginSoon()
        lookIn(waitMs)
      }),
  }
}

const isLockTimeout = (error: unknown) => codeOf(error) === '55P03'

/** Groups that change the same records lock them in the same order, so that no two wait for each other. */
const inOneOrder = (group: readonly Write[]): readonly Write[] =>
  group.length === 1 ? group : group.toSorted((one, other) => compare(keyOf(one), keyOf(other)))

const keyOf = ({ query }: Write) => query.keys[0] ?? ''

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
