/** Runs pieces of work with the same key one after another, in the order in which they came. Others do not wait for them. */
export const inOrder = () => {
  const last = new Map<string, Promise<void>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key)
    const { promise: done, resolve } = Promise.withResolvers<void>()
    last.set(key, done)
    await before
    try {
      return await work()
    } finally {
      if (last.get(key) === done) last.delete(key)
      resolve()
    }
  }
}
