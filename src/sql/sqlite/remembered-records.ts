import type { Make } from '#sql/database.ts'
import { frozen } from '#sql/frozen.ts'
import type { Query } from '#sql/query.ts'
import { shelf } from '#sql/shelf.ts'

/** What a statement found by a key, linked to what other statements found by the same key. */
export interface Found<T = unknown> {
  readonly key: string
  readonly text: string
  readonly make: Make<T>
  /** Undefined if there is none. */
  readonly record: T | undefined
  readonly next: Found | undefined
}

/**
 * Caches the record that a committed statement found by a single key, until a commit changes that key. Indexed by a hash of
 * the key: a Map of strings would first search for each request's text among all strings of the program, which takes longer
 * than the lookup itself. If two keys share a hash, the later one wins.
 */
export const rememberedRecords = () => {
  const kept = shelf<number, Found>({ maxWeight, weightOf })

  return {
    find<T>({ text, keys: [key = ''] }: Query, make: Make<T>): Found<T> | undefined {
      let found = kept.find(hashOf(key))
      while (found && !(found.key === key && found.text === text && found.make === make)) found = found.next
      return found as Found<T> | undefined
    },

    /** Freezes the record. */
    keep<T>({ text, keys: [key = ''] }: Query, make: Make<T>, made: T | undefined) {
      const number = hashOf(key)
      const others = kept.find(number)
      const next = others?.key === key ? withoutText(others, text) : undefined
      const found = { key, text, make, record: frozen(made), next }
      kept.put(number, found, weightOfOne)
    },

    forget: (key: string) => kept.forget(hashOf(key)),
    clear: kept.clear,
  }
}

/** The limit of each half of a shelf, in rows and entries together. */
export const maxWeight = 10_000

/** A 32-bit hash of a text. */
export const hashOf = (text: string): number => {
  let number = 0
  for (let at = 0; at < text.length; at++) number = (number * 31 + text.charCodeAt(at)) | 0
  return number
}

/** Whether a key is the only parameter. */
export const isByKey = ({ keys, values }: Query) => keys.length === 1 && values.length === 1

const weightOfOne = 2

const weightOf = ({ next }: Found): number => weightOfOne + (next ? weightOf(next) : 0)

const withoutText = (found: Found | undefined, text: string): Found | undefined => {
  if (!found || found.text === text) return found?.next
  return { ...found, next: withoutText(found.next, text) }
}
