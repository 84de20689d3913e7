import { storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { LogEntry } from '#sql/log-table.ts'
import { empty, type Query } from '#sql/query.ts'
import { batcher } from './batcher.ts'
import { hadNoEffect, StatementRefused } from './errors.ts'
import type { Limits } from './limits.ts'
import type { LoggedStatement } from './log-entries.ts'

interface GroupsOptions {
  readonly limits: Limits
  readonly runTogether: (queries: readonly LoggedStatement[]) => Promise<readonly number[]>
  readonly runAlone: (query: Query, entry: LogEntry | undefined) => Promise<number>
  readonly refusalOf: (error: unknown) => unknown
}

interface Write {
  readonly query: Query
  readonly entry: LogEntry | undefined
  tries: number
  readonly resolve: (changed: number | Promise<number>) => void
  readonly reject: (error: unknown) => void
}

/** Writes that share one statement: a single write, or several inserts. */
type StatementWrites = readonly Write[]

/**
 * Groups writes of one statement. The writes of one turn of the event loop, and those that arrive while a group is running, share
 * a transaction (decision 0034). A write that fails is retried alone, and the others together, so that it does not fail them.
 */
export const writeGroups = ({ limits, runTogether, runAlone, refusalOf }: GroupsOptions) => {
  const refusal = () => refusalOf(storageUnavailable(new Error('the server does not answer writes')))
  const { maxWaiting, waitMs, aloneWaitMs } = limits
  const groupSlots = slots({ places: limits.groupedWrites, maxWaiting, waitMs, refusal })
  const aloneSlots = slots({ places: limits.writesAlone, maxWaiting, waitMs: aloneWaitMs, refusal })

  const commit = async (statements: readonly StatementWrites[]) => {
    try {
      const changed = await runTogether(statements.map(statementOf))
      statements.forEach((writes, index) => {
        for (const { resolve } of writes) resolve(writes.length > 1 ? 1 : (changed[index] ?? 0))
      })
    } catch (error) {
      if (hadNoEffect(error)) retryFailed(statements, error)
      else for (const { reject } of statements.flat()) reject(refusalOf(error))
    }
  }

  /** The refused write, other writes of its record, and writes that were tried too often run alone. The other writes return to the queue. */
  const retryFailed = (statements: readonly StatementWrites[], error: unknown) => {
    const refused = error instanceof StatementRefused ? statements[error.index] : undefined
    const [refusedWrite] = refused?.length === 1 ? refused : []
    const isOfRecord = (write: Write) =>
      refusedWrite && keyOf(write) !== '' && keyOf(write) === keyOf(refusedWrite)
    const mustRunAlone = (write: Write) =>
      !refused || write === refusedWrite || isOfRecord(write) || ++write.tries >= limits.groupTries
    const separate = new Set(statements.flat().filter(mustRunAlone))
    for (const { query, entry, resolve } of separate) resolve(aloneSlots.use(() => runAlone(query, entry)))
    queue.addFirst(statements.flat().filter((write) => !separate.has(write)))
  }

  const queue = batcher<Write>({
    maxConcurrent: 1,
    maxItems: limits.groupedWrites,
    runBatch: (group) => commit(mergeInserts(sortByKey(group))),
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

/** Neighbouring inserts with the same text share a statement, unless one of them was tried before: it may be the one that was refused. */
const mergeInserts = (group: readonly Write[]): readonly StatementWrites[] => {
  const statements: Write[][] = []
  for (const write of group) {
    const writes = statements.at(-1)
    const [first] = writes ?? []
    if (writes && first && canMerge(first, write)) writes.push(write)
    else statements.push([write])
  }
  return statements
}

const canMerge = (one: Write, other: Write) =>
  one.query.text === other.query.text &&
  one.entry?.log === other.entry?.log &&
  one.tries + other.tries === 0 &&
  singleRowInsert.test(one.query.text)

/** One statement for all writes: the text of the first insert, followed by the rows of the others. */
const statementOf = (writes: StatementWrites): LoggedStatement => {
  const [{ query } = { query: empty }, ...others] = writes
  const rows = others.map(({ query: { text } }) => `, ${text.slice(text.lastIndexOf('('))}`)
  const merged = {
    text: query.text + rows.join(''),
    values: writes.flatMap((write) => write.query.values),
    keys: writes.flatMap((write) => write.query.keys),
  }
  return {
    query: merged,
    entries: writes.flatMap(({ entry }) => entry ?? []),
    isCertain: singleRowInsert.test(query.text),
  }
}

/** An insert of one row of parameters. It inserts this row or fails. */
const singleRowInsert = /^\s*INSERT INTO \w+ \([\w\s,]+\)\s*VALUES\s*\([?\s,]+\)$/
