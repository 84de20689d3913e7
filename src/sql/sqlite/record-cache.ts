import { cache } from '#sql/cache.ts'
import type { RowMapper } from '#sql/database.ts'
import { deepFreeze } from '#sql/deep-freeze.ts'
import type { Query } from '#sql/query.ts'

/** The record that a statement found by a key. `next` is the record that another statement found by the same key. */
export interface CachedRecord<T = unknown> {
  readonly key: string
  readonly text: string
  readonly mapRow: RowMapper<T>
  /** Undefined if no record has this key. */
  readonly record: T | undefined
  readonly next: CachedRecord | undefined
}

/**
 * Caches the record that a query found by a single key, until a commit changes the record. The cache is indexed by a hash of the
 * key: a Map of strings would first intern the text of each request, which costs 6 % of a GET's processor time. If two keys have
 * the same hash, the later one replaces the earlier.
 */
export const recordCache = () => {
  const recordsByHash = cache<number, CachedRecord>({ maxWeight, weightOf })

  return {
    get<T>({ text, keys: [key = ''] }: Query, mapRow: RowMapper<T>): CachedRecord<T> | undefined {
      let cached = recordsByHash.get(hashOf(key))
      while (cached && !(cached.key === key && cached.text === text && cached.mapRow === mapRow))
        cached = cached.next
      return cached as CachedRecord<T> | undefined
    },

    /** Stores and freezes the record. */
    set<T>({ text, keys: [key = ''] }: Query, mapRow: RowMapper<T>, record: T | undefined) {
      const hash = hashOf(key)
      const cached = recordsByHash.get(hash)
      const next = cached?.key === key ? withoutText(cached, text) : undefined
      const added = { key, text, mapRow, record: deepFreeze(record), next }
      recordsByHash.set(hash, added, weightOfOne)
    },

    delete: (key: string) => recordsByHash.delete(hashOf(key)),
    clear: recordsByHash.clear,
  }
}

/** The limit of each half of a cache: the number of its rows plus the number of its entries. */
export const maxWeight = 10_000

export const hashOf = (text: string): number => {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0
  return hash
}

/** True if a key is the only parameter of the query. */
export const isByKey = ({ keys, values }: Query) => keys.length === 1 && values.length === 1

const weightOfOne = 2

const weightOf = ({ next }: CachedRecord): number => weightOfOne + (next ? weightOf(next) : 0)

const withoutText = (record: CachedRecord | undefined, text: string): CachedRecord | undefined => {
  if (!record || record.text === text) return record?.next
  return { ...record, next: withoutText(record.next, text) }
}
