import type { Make } from '#sql/database.ts'
import { frozen } from '#sql/frozen.ts'
import type { Query, Value } from '#sql/query.ts'
import { shelf } from '#sql/shelf.ts'
import { hashOf, maxWeight } from './remembered-records.ts'

const rowLimit = 2_000
const entriesPerText = 64

/** Caches the results of committed reads, from the second time they are requested until the next commit. */
export const rememberedRows = () => {
  const kept = shelf<string, readonly Entry[]>({
    maxWeight,
    weightOf: (entries) => entries.reduce((all, entry) => all + weightOf(entry), 0),
  })
  const wasRequestedBefore = recentQueries()

  return {
    find: <T>(query: Query, make: Make<T>) =>
      kept.find(query.text)?.find((entry) => answers(entry, query, make))?.made as readonly T[] | undefined,

    /** Keeps and freezes a result, unless it is too large or requested for the first time. */
    keep<T>(query: Query, make: Make<T>, made: readonly T[]) {
      if (made.length > rowLimit || !wasRequestedBefore(query)) return
      const entry = { values: query.values, make, made: frozen(made) }
      const others = (kept.find(query.text) ?? []).filter((other) => !answers(other, query, make))
      kept.put(query.text, [entry, ...others.slice(0, entriesPerText - 1)], weightOf(entry))
    },

    clear: kept.clear,
  }
}

/** One result of a query text. */
interface Entry {
  readonly values: readonly Value[]
  readonly make: Make<unknown>
  readonly made: readonly unknown[]
}

const answers = (entry: Entry, { values }: Query, make: Make<unknown>) =>
  entry.make === make &&
  entry.values.length === values.length &&
  entry.values.every((value, index) => value === values[index])

const weightOf = ({ made }: Entry) => 1 + made.length

const recentCapacity = 4_096

/**
 * Whether a query was among the recent ones. Most searches are never repeated, and caching their results would cost a tenth
 * of all time in garbage collection.
 */
const recentQueries = () => {
  const known = new Int32Array(recentCapacity)
  return ({ text, values }: Query): boolean => {
    const number = hashOf(values.reduce<string>((all, value) => `${all} ${value}`, text))
    const place = (number >>> 0) % recentCapacity
    const isKnown = known[place] === number
    known[place] = number
    return isKnown
  }
}
