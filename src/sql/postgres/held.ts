const maxKeys = 1_000

/** Records for whose lock a wait has recently timed out. */
export const heldRecords = (lockMs: number) => {
  const until = new Map<string, number>()

  return {
    has(keys: readonly string[]): boolean {
      if (until.size === 0) return false
      const now = performance.now()
      return keys.some((key) => (until.get(key) ?? 0) > now)
    },

    add(keys: readonly string[]) {
      if (until.size >= maxKeys) until.clear()
      for (const key of keys) until.set(key, performance.now() + lockMs)
    },

    delete(keys: readonly string[]) {
      for (const key of keys) until.delete(key)
    },
  }
}
