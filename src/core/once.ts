/** Makes a value on first use, and returns the same value afterwards. */
export const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** As `once`, for asynchronous work. After a failure, the next call tries again. */
export const memoizeSuccess = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  const forget = (error: unknown) => {
    made = undefined
    throw error
  }
  return () => {
    made ??= make().catch(forget)
    return made
  }
}

/** Caches the value that `make` derives from an object, as long as the object lives. */
export const memoizeByObject = <K extends object, V extends {}>(make: (key: K) => V): ((key: K) => V) => {
  const made = new WeakMap<K, V>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}
