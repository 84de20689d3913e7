interface ShelfParts<Name, Kept> {
  /** The limit of each of the two halves. */
  readonly maxWeight: number
  readonly weightOf: (kept: Kept, name: Name) => number
}

export type Shelf<Name, Kept> = ReturnType<typeof shelf<Name, Kept>>

/** Holds what was used recently: when the fresh half is full, the old half is dropped. */
export const shelf = <Name, Kept>({ maxWeight, weightOf }: ShelfParts<Name, Kept>) => {
  let fresh = new Map<Name, Kept>()
  let old = new Map<Name, Kept>()
  let weight = 0

  const put = (name: Name, kept: Kept, addedWeight: number) => {
    weight += addedWeight
    if (weight > maxWeight) {
      old = fresh
      fresh = new Map()
      weight = addedWeight
    }
    fresh.set(name, kept)
  }

  return {
    find(name: Name): Kept | undefined {
      const found = fresh.get(name)
      if (found !== undefined) return found
      const aged = old.get(name)
      if (aged !== undefined) put(name, aged, weightOf(aged, name))
      return aged
    },

    /** Replaces what is kept under this name. `addedWeight` is what the change adds. */
    put,

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
