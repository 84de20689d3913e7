interface CacheLimits {
  readonly maxEntries: number
  readonly maxKeyLength: number
}

/** For header values: the same few, and the same few mistakes, come again and again. */
const shortTexts: CacheLimits = { maxEntries: 500, maxKeyLength: 256 }

/** Computes one value per text, and caches it within the limits. Equal texts must give equal values, whatever `extra` is. */
export const memoize = <T, Extra extends readonly unknown[] = []>(
  compute: (value: string, ...extra: Extra) => T,
  { maxEntries, maxKeyLength } = shortTexts,
) => {
  const known = new Map<string, T>()
  return (value: string, ...extra: Extra): T => {
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const computed = compute(value, ...extra)
    if (value.length > maxKeyLength) return computed
    // A full cache is emptied, because it may hold only values that are no longer asked for.
    if (known.size >= maxEntries) known.clear()
    known.set(value, computed)
    return computed
  }
}
