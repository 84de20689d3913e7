import { cache } from '#sql/cache.ts'
import type { RowMapper } from '#sql/database.ts'
import { frozen } from '#sql/frozen.ts'
import type { Query, Value } from '#sql/query.ts'
import { hashOf, maxWeight } from './record-cache.ts'

const rowLimit = 2_000
const entriesPerText = 64

/** Caches results of committed reads that were requested at least twice, until the next commit. */
export const resultCache = () => {
  const results = cache<string, readonly Entry[]>({
    maxWeight,
    weightOf: (entries) => entries.reduce((all, entry) => all + weightOf(entry), 0),
  })
  const wasRequestedBefore = recentQueries()

  return {
    get: <T>(query: Query, make: RowMapper<T>) =>
      results.get(query.text)?.find((entry) => answers(entry, query, make))?.made as readonly T[] | undefined,

    /** Keeps and freezes a result, unless it is too large or was requested for the first time. */
    set<T>(query: Query, make: RowMapper<T>, made: readonly T[]) {
      if (made.length > rowLimit || !wasRequestedBefore(query)) return
      const entry = { values: query.values, make, made: frozen(made) }
      const others = (results.get(query.text) ?? []).filter((other) => !answers(other, query, make))
      results.set(query.text, [entry, ...others.slice(0, entriesPerText - 1)], weightOf(entry))
    },

    clear: results.clear,
  }
}

/** One result of a query text, for certain values. */
interface Entry {
  readonly values: readonly Value[]
  readonly make: RowMapper<unknown>
  readonly made: readonly unknown[]
}

const answers = (entry: Entry, { values }: Query, make: RowMapper<unknown>) =>
  entry.make === make &&
  entry.values.length === values.length &&
  entry.values.every((value, index) => value === values[index])

const weightOf = ({ made }: Entry) => 1 + made.length

const recentCapacity = 4_096

/**
 * Tells whether a query was requested recently. Most searches are never repeated, and caching their results would cost a tenth
 * of all time in garbage collection.
 */
const recentQueries = () => {
  const known = new Int32Array(recentCapacity)
  return ({ text, values }: Query): boolean => {
    const hash = hashOf(values.reduce<string>((all, value) => `${all} ${value}`, text))
    const place = (hash >>> 0) % recentCapacity
    const isKnown = known[place] === hash
    known[place] = hash
    return isKnown
  }
}
