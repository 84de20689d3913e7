import type { Make } from '#sql/database.ts'
import { frozen } from '#sql/frozen.ts'
import type { Query, Value } from '#sql/query.ts'

/** Of each of the two shelves, in rows and entries together. */
const weightLimit = 20_000
const rowLimit = 2_000
const entriesPerName = 64

/**
 * What committed reads made. What was read by one key is forgotten when a commit names this key, or none at all;
 * everything else is kept when it is asked for a second time, and forgotten at every commit.
 */
export const remembered = () => {
  const byKey = shelf<number>()
  const byText = shelf<string>()
  const wasAsked = acquaintance()

  return {
    find<T>(query: Query, make: Make<T>): readonly T[] | undefined {
      const key = onlyKey(query)
      const entries = key === undefined ? byText.find(query.text) : byKey.find(numberOf(key))
      return entries?.find((entry) => answers(entry, query, make))?.made as readonly T[] | undefined
    },

    /** Keeps it, if it is not too much, and makes it unchangeable. */
    keep<T>(query: Query, make: Make<T>, made: readonly T[]) {
      if (made.length > rowLimit) return
      const key = onlyKey(query)
      if (key === undefined && !wasAsked(query)) return
      const entry = { text: query.text, values: query.values, make, made: frozen(made) }
      if (key === undefined) byText.keep(query.text, entry)
      else byKey.keep(numberOf(key), entry)
    },

    forget({ keys, all }: Touched) {
      byText.clear()
      if (all) byKey.clear()
      else for (const key of keys) byKey.forget(numberOf(key))
    },
  }
}

/** Which records a transaction changed. */
export interface Touched {
  readonly keys: ReadonlySet<string>
  /** It changed records without naming them. */
  readonly all: boolean
}

interface Entry {
  readonly text: string
  readonly values: readonly Value[]
  readonly make: Make<unknown>
  readonly made: readonly unknown[]
}

const answers = (entry: Entry, { text, values }: Pick<Query, 'text' | 'values'>, make: Make<unknown>) =>
  entry.text === text &&
  entry.make === make &&
  entry.values.length === values.length &&
  entry.values.every((value, index) => value === values[index])

const onlyKey = ({ keys }: Query) => (keys.length === 1 ? keys[0] : undefined)

/**
 * What a key is kept under. A map looks first for a text of a request among all texts of the program, which takes longer
 * than all else that is done to find what is remembered. Keys of one number share its entries, and are forgotten together.
 */
const numberOf = (key: string): number => {
  let number = 0
  for (let at = 0; at < key.length; at++) number = (number * 31 + key.charCodeAt(at)) | 0
  return number
}

const asksKnown = 4_096

/**
 * Tells what was asked before, of the last questions. Most searches never come again: to keep what they found would cost
 * the collector of garbage a tenth of all time.
 */
const acquaintance = () => {
  const known = new Int32Array(asksKnown)
  return ({ text, values }: Query): boolean => {
    const number = numberOf(values.reduce<string>((all, value) => `${all} ${value}`, text))
    const place = (number >>> 0) % asksKnown
    const isKnown = known[place] === number
    known[place] = number
    return isKnown
  }
}

/** Holds what was used lately: when the fresh half is full, the old half goes. */
const shelf = <Name>() => {
  let fresh = new Map<Name, readonly Entry[]>()
  let old = new Map<Name, readonly Entry[]>()
  let weight = 0

  const put = (name: Name, entries: readonly Entry[], added: readonly Entry[]) => {
    for (const entry of added) weight += 1 + entry.made.length
    if (weight > weightLimit / 2) {
      old = fresh
      fresh = new Map()
      weight = 0
    }
    fresh.set(name, entries)
  }

  const find = (name: Name) => {
    const found = fresh.get(name)
    if (found) return found
    const aged = old.get(name)
    if (aged) put(name, aged, aged)
    return aged
  }

  return {
    find,

    keep(name: Name, entry: Entry) {
      const others = (find(name) ?? []).filter((other) => !answers(other, entry, entry.make))
      put(name, [entry, ...others.slice(0, entriesPerName - 1)], [entry])
    },

    forget(name: Name) {
      fresh.delete(name)
      old.delete(name)
    },

    clear() {
      if (fresh.size > 0) fresh = new Map()
      if (old.size > 0) old = new Map()
      weight = 0
    },
  }
}
