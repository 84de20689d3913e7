import { storageUnavailable } from '#core/problem.ts'
import type { Query } from '#sql/query.ts'
import { limits } from './limits.ts'

export interface GroupsOptions {
  /** Does these in one transaction, or none of them. */
  readonly together: (queries: readonly Query[]) => Promise<readonly number[]>
  /** Does this one in a transaction of its own. */
  readonly alone: (query: Query) => Promise<number>
  /** Nothing was done, and each may be tried alone. */
  readonly isHarmless: (error: unknown) => boolean
}

interface Write {
  readonly query: Query
  readonly askedAt: number
  readonly resolve: (changed: number | Promise<number>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes of one statement, which share a transaction with those of the same turn of the event loop and those that came
 * while all groups were under way (decision 0034). One that fails takes nobody along: then each is done alone.
 */
export const groups = ({ together, alone, isHarmless }: GroupsOptions) => {
  let waiting: Write[] = []
  let underWay = 0
  let isComing = false
  let isLooking = false

  const beginSoon = () => {
    if (isComing || underWay >= limits.groups) return
    isComing = true
    setImmediate(() => {
      isComing = false
      begin()
    })
  }

  const begin = () => {
    const group = waiting.slice(0, limits.groupedWrites)
    waiting = waiting.slice(group.length)
    if (group.length === 0) return
    underWay++
    void commit(inOneOrder(group)).finally(() => {
      underWay--
      if (waiting.length > 0) beginSoon()
    })
    if (waiting.length > 0) beginSoon()
  }

  const commit = async (group: readonly Write[]) => {
    try {
      const changed = await together(group.map(({ query }) => query))
      group.forEach(({ resolve }, index) => {
        resolve(changed[index] ?? 0)
      })
    } catch (error) {
      for (const { query, resolve, reject } of group) {
        if (isHarmless(error)) resolve(alone(query))
        else reject(error)
      }
    }
  }

  const look = () => {
    const late = waiting.filter(({ askedAt }) => performance.now() - askedAt >= limits.waitMs)
    waiting = waiting.slice(late.length)
    for (const { reject } of late) reject(storageUnavailable(new Error('writes are not answered')))
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
        if (waiting.length >= limits.waiting)
          return reject(storageUnavailable(new Error('too many writes wait')))
        waiting.push({ query, askedAt: performance.now(), resolve, reject })
        beginSoon()
        lookIn(limits.waitMs)
      }),
  }
}

/** Two groups that change the same records take their locks in the same order, and never wait for each other in turn. */
const inOneOrder = (group: readonly Write[]): readonly Write[] =>
  group.length === 1 ? group : group.toSorted((one, other) => compare(keyOf(one), keyOf(other)))

const keyOf = ({ query }: Write) => query.keys[0] ?? ''

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
