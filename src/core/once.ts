/** Makes a value on first use. */
export const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** As `once`, for work that may fail. A failure is not kept. */
export const onceSucceeded = <T>(make: () => Promise<T>): (() => Promise<T>) => {
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

/** Derives a value from an object on first use, and keeps it as long as the object lives. */
export const onceFor = <K extends object, V extends {}>(make: (key: K) => V): ((key: K) => V) => {
  const made = new WeakMap<K, V>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}
