/** The same few header values, and the same few mistakes, come again and again. This many short ones are cached. */
const maxEntries = 500
const maxKeyLength = 256

/** Computes one value per text. Equal texts must give equal values, whatever `extra` is. */
export const memoize = <T, Extra extends readonly unknown[] = []>(
  compute: (value: string, ...extra: Extra) => T,
) => {
  const known = new Map<string, T>()
  return (value: string, ...extra: Extra): T => {
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const computed = compute(value, ...extra)
    if (known.size < maxEntries && value.length <= maxKeyLength) known.set(value, computed)
    return computed
  }
}
