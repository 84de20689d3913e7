/** What is made when it is first asked for. */
export const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The same for what may fail: a failure is not kept. */
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

/** What is made of an object when it is first asked for, and kept as long as the object. */
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
