import { cache } from '#sql/cache.ts'
import type { RowMapper } from '#sql/database.ts'
import { deepFreeze } from '#sql/deep-freeze.ts'
import type { Query, Value } from '#sql/query.ts'
import { hashOf, maxWeight } from './record-cache.ts'

const maxRows = 2_000
const maxResultsPerText = 64

/** Caches results of committed reads that were requested at least twice, until the next commit. */
export const resultCache = () => {
  const resultsByText = cache<string, readonly CachedResult[]>({
    maxWeight,
    weightOf: (results) => results.reduce((sum, result) => sum + weightOf(result), 0),
  })
  const wasRequestedBefore = recentQueries()

  return {
    get: <T>(query: Query, mapRow: RowMapper<T>) =>
      resultsByText.get(query.text)?.find((result) => isResultOf(result, query, mapRow))?.rows as
        | readonly T[]
        | undefined,

    /** Stores and freezes a result, unless it is too large or was requested for the first time. */
    set<T>(query: Query, mapRow: RowMapper<T>, rows: readonly T[]) {
      if (rows.length > maxRows || !wasRequestedBefore(query)) return
      const result = { values: query.values, mapRow, rows: deepFreeze(rows) }
      const others = (resultsByText.get(query.text) ?? []).filter(
        (other) => !isResultOf(other, query, mapRow),
      )
      resultsByText.set(query.text, [result, ...others.slice(0, maxResultsPerText - 1)], weightOf(result))
    },

    clear: resultsByText.clear,
  }
}

/** The result of a query text for certain values. */
interface CachedResult {
  readonly values: readonly Value[]
  readonly mapRow: RowMapper<unknown>
  readonly rows: readonly unknown[]
}

const isResultOf = (result: CachedResult, { values }: Query, mapRow: RowMapper<unknown>) =>
  result.mapRow === mapRow &&
  result.values.length === values.length &&
  result.values.every((value, index) => value === values[index])

const weightOf = ({ rows }: CachedResult) => 1 + rows.length

const recentCapacity = 4_096

/**
 * Returns a function that tells whether a query was requested recently, and remembers the query. Most searches are never
 * repeated, and caching their results would cost a tenth of all time in garbage collection.
 */
const recentQueries = () => {
  const recentHashes = new Int32Array(recentCapacity)
  return ({ text, values }: Query): boolean => {
    const hash = hashOf(values.reduce<string>((all, value) => `${all} ${value}`, text))
    const slot = (hash >>> 0) % recentCapacity
    const isKnown = recentHashes[slot] === hash
    recentHashes[slot] = hash
    return isKnown
  }
}
