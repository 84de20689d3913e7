/** The same few values of a header, and the same few mistakes, come again and again: so many of so many characters are remembered. */
const mostRemembered = 500
const longestRemembered = 256

/** What is chosen by a text alone, or by what the text stands for: chosen once for each. */
export const remembering = <T, Meant extends readonly unknown[] = []>(
  choose: (value: string, ...meant: Meant) => T,
) => {
  const known = new Map<string, T>()
  return (value: string, ...meant: Meant): T => {
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const chosen = choose(value, ...meant)
    if (known.size < mostRemembered && value.length <= longestRemembered) known.set(value, chosen)
    return chosen
  }
}
