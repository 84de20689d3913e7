/** The same few values of a header, and the same few mistakes, come again and again. So many are remembered, if they are short. */
const mostRemembered = 500
const longestRemembered = 256

/** Chooses once for each text, and remembers it. `extra` must follow from the text alone. */
export const remembering = <T, Extra extends readonly unknown[] = []>(
  choose: (value: string, ...extra: Extra) => T,
) => {
  const known = new Map<string, T>()
  return (value: string, ...extra: Extra): T => {
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const chosen = choose(value, ...extra)
    if (known.size < mostRemembered && value.length <= longestRemembered) known.set(value, chosen)
    return chosen
  }
}
