interface CacheOptions<Key, Value> {
  /** The limit of each half of the cache. */
  readonly maxWeight: number
  readonly weightOf: (value: Value, key: Key) => number
}

export type Cache<Key, Value> = ReturnType<typeof cache<Key, Value>>

/** Keeps recently used values in two halves. When the fresh half is full, it becomes the old half, and the previous old half is dropped. */
export const cache = <Key, Value>({ maxWeight, weightOf }: CacheOptions<Key, Value>) => {
  let fresh = new Map<Key, Value>()
  let old = new Map<Key, Value>()
  let weight = 0

  const set = (key: Key, value: Value, addedWeight: number) => {
    weight += addedWeight
    if (weight > maxWeight) {
      old = fresh
      fresh = new Map()
      weight = addedWeight
    }
    fresh.set(key, value)
  }

  return {
    get(key: Key): Value | undefined {
      const freshValue = fresh.get(key)
      if (freshValue !== undefined) return freshValue
      const oldValue = old.get(key)
      if (oldValue !== undefined) set(key, oldValue, weightOf(oldValue, key))
      return oldValue
    },

    /** Adds or replaces the value of a key. `addedWeight` is how much the key's value weighs more than before. */
    set,

    delete(key: Key) {
      fresh.delete(key)
      old.delete(key)
    },

    clear() {
      if (fresh.size > 0) fresh = new Map()
      if (old.size > 0) old = new Map()
      weight = 0
    },
  }
}
