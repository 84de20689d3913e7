const textLimit = 1_000

const known = new Map<string, TemplateStringsArray>()

/** The statement cut at its placeholders. One text is always the same array: the client knows statements by it. */
export const cut = (text: string): TemplateStringsArray => {
  const made = known.get(text) ?? pieces(text)
  if (known.size >= textLimit) known.clear()
  known.set(text, made)
  return made
}

/** A string, a quoted name or a comment holds no placeholder. */
const token = /'(?:[^']|'')*'|"[^"]*"|--.*|\?/g

const pieces = (text: string): TemplateStringsArray => {
  const strings: string[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found !== '?') continue
    strings.push(text.slice(from, index))
    from = index + 1
  }
  strings.push(text.slice(from))
  return Object.assign(strings, { raw: strings })
}
