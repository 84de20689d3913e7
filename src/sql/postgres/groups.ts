import { storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { LogEntry } from '#sql/log-table.ts'
import { empty, type Query } from '#sql/query.ts'
import type { LoggedStatement } from './entries.ts'
import { isHarmless, StatementRefused } from './errors.ts'
import { gathering } from './gathering.ts'
import type { Limits } from './limits.ts'

interface GroupsOptions {
  readonly limits: Limits
  readonly together: (queries: readonly LoggedStatement[]) => Promise<readonly number[]>
  readonly alone: (query: Query, entry: LogEntry | undefined) => Promise<number>
  readonly refusalOf: (error: unknown) => unknown
}

interface Write {
  readonly query: Query
  readonly entry: LogEntry | undefined
  tries: number
  readonly resolve: (changed: number | Promise<number>) => void
  readonly reject: (error: unknown) => void
}

/** Writes that share one statement. */
type Run = readonly Write[]

/**
 * Groups single-statement writes: the writes of one turn of the event loop, and those that arrive while a group is running,
 * share a transaction (decision 0034). A failing write is retried alone and the others together, so it does not fail them.
 */
export const groups = ({ limits, together, alone, refusalOf }: GroupsOptions) => {
  const refusal = () => refusalOf(storageUnavailable(new Error('the server does not answer writes')))
  const { maxWaiting, waitMs, aloneWaitMs } = limits
  const places = slots({ places: limits.groupedWrites, maxWaiting, waitMs, refusal })
  const placesAlone = slots({ places: limits.alone, maxWaiting, waitMs: aloneWaitMs, refusal })

  const commit = async (runs: readonly Run[]) => {
    try {
      const changed = await together(runs.map(statementOf))
      runs.forEach((run, index) => {
        for (const { resolve } of run) resolve(run.length > 1 ? 1 : (changed[index] ?? 0))
      })
    } catch (error) {
      if (isHarmless(error)) split(runs, error)
      else for (const { reject } of runs.flat()) reject(refusalOf(error))
    }
  }

  /** Retries alone the refused write, other writes of its record, and writes that were tried too often. The rest go to the front. */
  const split = (runs: readonly Run[], error: unknown) => {
    const refused = error instanceof StatementRefused ? runs[error.index] : undefined
    const [culprit] = refused?.length === 1 ? refused : []
    const isOfRecord = (write: Write) => culprit && keyOf(write) !== '' && keyOf(write) === keyOf(culprit)
    const mustRunAlone = (write: Write) =>
      !refused || write === culprit || isOfRecord(write) || ++write.tries >= limits.groupTries
    const separate = new Set(runs.flat().filter(mustRunAlone))
    for (const { query, entry, resolve } of separate) resolve(placesAlone.use(() => alone(query, entry)))
    waiting.addAgain(runs.flat().filter((write) => !separate.has(write)))
  }

  const waiting = gathering<Write>({
    runs: 1,
    most: limits.groupedWrites,
    run: (group) => commit(runsOf(inLockOrder(group))),
  })

  const write = (query: Query, entry: LogEntry | undefined) =>
    new Promise<number>((resolve, reject) => {
      waiting.add({ query, entry, tries: 0, resolve, reject })
    })

  return { run: (query: Query, entry?: LogEntry): Promise<number> => places.use(() => write(query, entry)) }
}

/** Sorts writes by key, so that groups lock the same records in the same order and cannot deadlock. */
const inLockOrder = (group: readonly Write[]): readonly Write[] =>
  group.length === 1 ? group : group.toSorted((one, other) => compare(keyOf(one), keyOf(other)))

const keyOf = ({ query }: Write) => query.keys[0] ?? ''

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** Neighbouring inserts with the same text share a statement, unless one was tried before and may have been refused. */
const runsOf = (group: readonly Write[]): readonly Run[] => {
  const runs: Write[][] = []
  for (const write of group) {
    const run = runs.at(-1)
    const [first] = run ?? []
    if (run && first && areOneInsert(first, write)) run.push(write)
    else runs.push([write])
  }
  return runs
}

const areOneInsert = (one: Write, other: Write) =>
  one.query.text === other.query.text &&
  one.entry?.log === other.entry?.log &&
  one.tries + other.tries === 0 &&
  insertion.test(one.query.text)

/** One statement for all inserts of a run: the first insert, followed by the rows of the others. */
const statementOf = (run: Run): LoggedStatement => {
  const [{ query } = { query: empty }, ...others] = run
  const rows = others.map(({ query: { text } }) => `, ${text.slice(text.lastIndexOf('('))}`)
  const all = {
    text: query.text + rows.join(''),
    values: run.flatMap((write) => write.query.values),
    keys: run.flatMap((write) => write.query.keys),
  }
  return {
    query: all,
    entries: run.flatMap(({ entry }) => entry ?? []),
    isCertain: insertion.test(query.text),
  }
}

/** An insert of one row of parameters, which inserts this row or fails. */
const insertion = /^\s*INSERT INTO \w+ \([\w\s,]+\)\s*VALUES\s*\([?\s,]+\)$/
