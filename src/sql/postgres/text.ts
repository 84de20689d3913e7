const textLimit = 1_000

const known = new Map<string, string>()

/** The statement as the server requires it, with numbered placeholders. */
export const numbered = (text: string): string => {
  const found = known.get(text)
  if (found !== undefined) return found
  const made = withNumbers(text)
  if (known.size >= textLimit) known.clear()
  known.set(text, made)
  return made
}

/** A `?` in a string, a quoted name or a comment is not a placeholder. */
const token = /'(?:[^']|'')*'|"[^"]*"|--.*|\?/g

const withNumbers = (text: string): string => {
  let count = 0
  return text.replace(token, (found) => (found === '?' ? `$${++count}` : found))
}
