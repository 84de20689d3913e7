import { storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { LogEntry } from '#sql/log-table.ts'
import type { Query } from '#sql/query.ts'
import { batcher } from './batcher.ts'
import { hadNoEffect, StatementRefused } from './errors.ts'
import type { Limits } from './limits.ts'
import type { LoggedStatement } from './log-entries.ts'

interface GroupsOptions {
  readonly limits: Limits
  readonly runTogether: (statements: readonly LoggedStatement[]) => Promise<readonly number[]>
  readonly runAlone: (query: Query, entry: LogEntry | undefined) => Promise<number>
  readonly refusalOf: (error: unknown) => unknown
}

interface Write extends LoggedStatement {
  tries: number
  readonly resolve: (changed: number | Promise<number>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Groups writes that consist of a single statement. The writes of one turn of the event loop, and those that arrive while a group is running, share
 * a transaction (decision 0034). A write that fails is retried alone, and the others together, so that it does not fail them.
 */
export const writeGroups = ({ limits, runTogether, runAlone, refusalOf }: GroupsOptions) => {
  const refusal = () => refusalOf(storageUnavailable(new Error('the server does not answer writes')))
  const { maxWaiting, waitMs, aloneWaitMs } = limits
  const groupSlots = slots({ places: limits.groupedWrites, maxWaiting, waitMs, refusal })
  const aloneSlots = slots({ places: limits.writesAlone, maxWaiting, waitMs: aloneWaitMs, refusal })

  const commit = async (group: readonly Write[]) => {
    try {
      const changed = await runTogether(group)
      for (const [index, { resolve }] of group.entries()) resolve(changed[index] ?? 0)
    } catch (error) {
      if (hadNoEffect(error)) retryFailed(group, error)
      else for (const { reject } of group) reject(refusalOf(error))
    }
  }

  /**
   * The refused write, other writes of its record, and writes that were tried too often run alone. The other writes return to the
   * queue. If no single write was refused, all run alone.
   */
  const retryFailed = (group: readonly Write[], error: unknown) => {
    const refused = error instanceof StatementRefused ? group[error.index] : undefined
    const isOfRecord = (write: Write) => refused && keyOf(write) !== '' && keyOf(write) === keyOf(refused)
    const mustRunAlone = (write: Write) =>
      !refused || write === refused || isOfRecord(write) || ++write.tries >= limits.groupTries
    const separate = new Set(group.filter(mustRunAlone))
    for (const { query, entry, resolve } of separate) resolve(aloneSlots.use(() => runAlone(query, entry)))
    queue.addFirst(group.filter((write) => !separate.has(write)))
  }

  const queue = batcher<Write>({
    maxConcurrent: 1,
    maxItems: limits.groupedWrites,
    runBatch: (group) => commit(sortByKey(group)),
  })

  const write = (query: Query, entry: LogEntry | undefined) =>
    new Promise<number>((resolve, reject) => {
      queue.add({ query, entry, tries: 0, resolve, reject })
    })

  return {
    run: (query: Query, entry?: LogEntry): Promise<number> => groupSlots.use(() => write(query, entry)),
  }
}

/** Sorts writes by key, so that all groups lock records in the same order and cannot deadlock. */
const sortByKey = (group: readonly Write[]): readonly Write[] =>
  group.length === 1 ? group : group.toSorted((one, other) => compare(keyOf(one), keyOf(other)))

const keyOf = ({ query }: Write) => query.keys[0] ?? ''

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
