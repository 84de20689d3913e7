/** The same few values of a header come again and again: so many of so many characters are remembered. */
const mostRemembered = 500
const longestRemembered = 256

/** What is chosen by a header alone, chosen once for each of its values. */
export const remembering = <T>(choose: (value: string) => T) => {
  const known = new Map<string, T>()
  return (value: string): T => {
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const chosen = choose(value)
    if (known.size < mostRemembered && value.length <= longestRemembered) known.set(value, chosen)
    return chosen
  }
}
