/** Makes a value on first use. */
export const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The same for work that may fail: a failure is not kept. */
export const onceDone = <T>(make: () => Promise<T>): (() => Promise<T>) => {
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
export const onceFor = <K extends object, V extends {}>(make: (of: K) => V): ((of: K) => V) => {
  const made = new WeakMap<K, V>()
  return (of) => {
    const known = made.get(of)
    if (known !== undefined) return known
    const fresh = make(of)
    made.set(of, fresh)
    return fresh
  }
}
