interface CacheLimits {
  readonly maxEntries: number
  readonly maxKeyLength: number
}

/** The limits for header values, which repeat the same few texts and the same few mistakes. */
const headerValueLimits: CacheLimits = { maxEntries: 500, maxKeyLength: 256 }

/** Caches the computed value of each text, within the limits. Equal texts must give equal values, whatever `extra` is. */
export const memoize = <T, Extra extends readonly unknown[] = []>(
  compute: (value: string, ...extra: Extra) => T,
  { maxEntries, maxKeyLength } = headerValueLimits,
) => {
  const known = new Map<string, T>()
  return (value: string, ...extra: Extra): T => {
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const computed = compute(value, ...extra)
    if (value.length > maxKeyLength) return computed
    // A full cache is emptied, because it may hold only values that are no longer requested.
    if (known.size >= maxEntries) known.clear()
    known.set(value, computed)
    return computed
  }
}
