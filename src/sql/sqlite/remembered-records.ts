import type { Make } from '#sql/database.ts'
import { frozen } from '#sql/frozen.ts'
import type { Query } from '#sql/query.ts'
import { shelf } from '#sql/shelf.ts'
import { hashOf } from './hash.ts'
import { mostWeight } from './remembered-weight.ts'

/** What a statement found by a key, and what other statements found by the same one. */
export interface Found<T = unknown> {
  readonly key: string
  readonly text: string
  readonly make: Make<T>
  /** Undefined where there is none. */
  readonly record: T | undefined
  readonly next: Found | undefined
}

/**
 * What committed statements found by one key alone, until a commit names this key. It is kept under the number of the key: a
 * map looks first for a text of a request among all texts of the program, which takes longer than all else that is done to
 * find it. Of keys of one number the last is kept, of one
 * statement what was made last.
 */
export const rememberedRecords = () => {
  const kept = shelf<number, Found>({ mostWeight, weightOf })

  return {
    find<T>({ text, keys: [key = ''] }: Query, make: Make<T>): Found<T> | undefined {
      let found = kept.find(hashOf(key))
      while (found && !(found.key === key && found.text === text && found.make === make)) found = found.next
      return found as Found<T> | undefined
    },

    /** Makes it unchangeable. */
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

/** Whether nothing but a key says what is asked for. */
export const isByKey = ({ keys, values }: Query) => keys.length === 1 && values.length === 1

const weightOfOne = 2

const weightOf = ({ next }: Found): number => weightOfOne + (next ? weightOf(next) : 0)

const withoutText = (found: Found | undefined, text: string): Found | undefined => {
  if (!found || found.text === text) return found?.next
  return { ...found, next: withoutText(found.next, text) }
}
