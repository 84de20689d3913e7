/** The same few header values, and the same few mistakes, come again and again. This many are remembered, if they are short. */
const maxRemembered = 500
const maxRememberedLength = 256

/** Chooses once per text, and remembers the choice. Equal texts must lead to the same choice, whatever `extra` is. */
export const remembering = <T, Extra extends readonly unknown[] = []>(
  choose: (value: string, ...extra: Extra) => T,
) => {
  const known = new Map<string, T>()
  return (value: string, ...extra: Extra): T => {
    const found = known.get(value)
    if (found !== undefined || known.has(value)) return found as T
    const chosen = choose(value, ...extra)
    if (known.size < maxRemembered && value.length <= maxRememberedLength) known.set(value, chosen)
    return chosen
  }
}
