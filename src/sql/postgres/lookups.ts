import { memoizeByObject } from '#core/once.ts'
import type { RowMapper } from '#sql/database.ts'
import type { Lookup, LookupSource, Query } from '#sql/query.ts'
import { arrayOf } from './arrays.ts'
import { isUnavailable } from './errors.ts'
import { gathering } from './gathering.ts'
import type { Limits } from './limits.ts'

export type Read = <T>(query: Query, mapRow: RowMapper<T>) => Promise<readonly T[]>

export type LookupQuery = Query & { readonly lookup: Lookup }

interface Asked {
  readonly query: LookupQuery
  readonly resolve: (found: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Finds records by their keys. One statement finds the records of one kind that are requested in one turn of the event loop,
 * or while all statements are busy (decision 0034). If it fails, each record is requested alone.
 */
export const lookups = (limits: Limits, read: Read) => {
  const ask = async ([first, ...others]: readonly Asked[], mapRow: RowMapper<unknown>) => {
    if (!first) return
    if (others.length === 0) return first.resolve((await read(first.query, mapRow))[0])
    const asked = [first, ...others]
    const { source } = first.query.lookup
    const keys = [...new Set(asked.map(({ query }) => query.lookup.key))]
    const found = new Map(await read(withKeys(source, keys), named(mapRow)(source)))
    for (const { query, resolve } of asked) resolve(found.get(query.lookup.key))
  }

  /** If the storage is down, fails all requests. Otherwise one of them may be at fault, so retries each alone. */
  const answer = async (asked: readonly Asked[], mapRow: RowMapper<unknown>): Promise<void> => {
    try {
      await ask(asked, mapRow)
    } catch (error) {
      if (asked.length === 1 || isUnavailable(error)) for (const { reject } of asked) reject(error)
      else await Promise.all(asked.map((one) => answer([one], mapRow)))
    }
  }

  const waitingFor = memoizeByObject((mapRow: RowMapper<unknown>) =>
    memoizeByObject((_: LookupSource) =>
      gathering<Asked>({
        runs: limits.lookups,
        most: limits.gatheredKeys,
        run: (asked) => answer(asked, mapRow),
      }),
    ),
  )

  return <T>(query: LookupQuery, mapRow: RowMapper<T>): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      waitingFor(mapRow)(query.lookup.source).add({ query, resolve: resolve as Asked['resolve'], reject })
    })
}

const withKeys = ({ select, from, key }: LookupSource, keys: readonly string[]): Query => ({
  text: `${select} FROM ${from} WHERE ${key} = ANY(?)`,
  values: [arrayOf(keys)],
  keys,
})

/** Adds the key to each result. Returns the same function for the same `mapRow`, so that results are cached. */
const named = memoizeByObject((mapRow: RowMapper<unknown>) =>
  memoizeByObject(({ key }: LookupSource): RowMapper<readonly [string, unknown]> => {
    const column = key.slice(key.indexOf('.') + 1).replaceAll('"', '')
    return (row) => [String(row[column]), mapRow(row)]
  }),
)
