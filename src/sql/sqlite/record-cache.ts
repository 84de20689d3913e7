import { cache } from '#sql/cache.ts'
import type { RowMapper } from '#sql/database.ts'
import { frozen } from '#sql/frozen.ts'
import type { Query } from '#sql/query.ts'

/** The record that a statement found by a key, linked to the results of other statements for the same key. */
export interface Found<T = unknown> {
  readonly key: string
  readonly text: string
  readonly make: RowMapper<T>
  /** Undefined if no record has this key. */
  readonly record: T | undefined
  readonly next: Found | undefined
}

/**
 * Caches the record that a committed statement found by a single key, until a commit changes that key. The index is a hash
 * of the key: a Map of strings would first intern the text of each request, which costs 6 % of a GET's processor time.
 * If two keys share a hash, the later one wins.
 */
export const recordCache = () => {
  const entries = cache<number, Found>({ maxWeight, weightOf })

  return {
    get<T>({ text, keys: [key = ''] }: Query, make: RowMapper<T>): Found<T> | undefined {
      let found = entries.get(hashOf(key))
      while (found && !(found.key === key && found.text === text && found.make === make)) found = found.next
      return found as Found<T> | undefined
    },

    /** Freezes the record. */
    set<T>({ text, keys: [key = ''] }: Query, make: RowMapper<T>, made: T | undefined) {
      const hash = hashOf(key)
      const others = entries.get(hash)
      const next = others?.key === key ? withoutText(others, text) : undefined
      const found = { key, text, make, record: frozen(made), next }
      entries.set(hash, found, weightOfOne)
    },

    delete: (key: string) => entries.delete(hashOf(key)),
    clear: entries.clear,
  }
}

/** The limit of each half of a cache, in rows and entries together. */
export const maxWeight = 10_000

export const hashOf = (text: string): number => {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0
  return hash
}

/** Whether a key is the only parameter of the query. */
export const isByKey = ({ keys, values }: Query) => keys.length === 1 && values.length === 1

const weightOfOne = 2

const weightOf = ({ next }: Found): number => weightOfOne + (next ? weightOf(next) : 0)

const withoutText = (found: Found | undefined, text: string): Found | undefined => {
  if (!found || found.text === text) return found?.next
  return { ...found, next: withoutText(found.next, text) }
}
