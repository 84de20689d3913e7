import { memoizeByObject } from '#core/once.ts'
import type { RowMapper } from '#sql/database.ts'
import type { Lookup, LookupSource, Query } from '#sql/query.ts'
import { toArrayLiteral } from './arrays.ts'
import { batcher } from './batcher.ts'
import { isUnavailable } from './errors.ts'
import type { Limits } from './limits.ts'

export type Read = <T>(query: Query, mapRow: RowMapper<T>) => Promise<readonly T[]>

export type LookupQuery = Query & { readonly lookup: Lookup }

interface PendingLookup {
  readonly query: LookupQuery
  readonly resolve: (found: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Finds records by their keys. One statement finds the records of one table that are requested in one turn of the event loop, or
 * while the maximum number of statements is running (decision 0034). If the statement fails, each record is requested alone.
 */
export const lookups = (limits: Limits, read: Read) => {
  const findTogether = async ([first, ...others]: readonly PendingLookup[], mapRow: RowMapper<unknown>) => {
    if (!first) return
    if (others.length === 0) return first.resolve((await read(first.query, mapRow))[0])
    const pending = [first, ...others]
    const { source } = first.query.lookup
    const keys = [...new Set(pending.map(({ query }) => query.lookup.key))]
    const found = new Map(await read(withKeys(source, keys), withKey(mapRow)(source)))
    for (const { query, resolve } of pending) resolve(found.get(query.lookup.key))
  }

  /** If the storage is down, rejects all lookups. Otherwise one of the keys may be the cause, so each lookup is retried alone. */
  const settle = async (pending: readonly PendingLookup[], mapRow: RowMapper<unknown>): Promise<void> => {
    try {
      await findTogether(pending, mapRow)
    } catch (error) {
      if (pending.length === 1 || isUnavailable(error)) for (const { reject } of pending) reject(error)
      else await Promise.all(pending.map((one) => settle([one], mapRow)))
    }
  }

  const batcherFor = memoizeByObject((mapRow: RowMapper<unknown>) =>
    memoizeByObject((_: LookupSource) =>
      batcher<PendingLookup>({
        maxConcurrent: limits.lookups,
        maxItems: limits.lookupKeys,
        runBatch: (pending) => settle(pending, mapRow),
      }),
    ),
  )

  return <T>(query: LookupQuery, mapRow: RowMapper<T>): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      batcherFor(mapRow)(query.lookup.source).add({
        query,
        resolve: resolve as PendingLookup['resolve'],
        reject,
      })
    })
}

const withKeys = ({ select, from, key }: LookupSource, keys: readonly string[]): Query => ({
  text: `${select} FROM ${from} WHERE ${key} = ANY(?)`,
  values: [toArrayLiteral(keys)],
  keys,
})

/** A row mapper that returns the key with each result. The same `mapRow` gives the same function, so that results are cached. */
const withKey = memoizeByObject((mapRow: RowMapper<unknown>) =>
  memoizeByObject(({ key }: LookupSource): RowMapper<readonly [string, unknown]> => {
    const column = key.slice(key.indexOf('.') + 1).replaceAll('"', '')
    return (row) => [String(row[column]), mapRow(row)]
  }),
)
