const popFormat = '\u202c'
const popIsolate = '\u2069'
const firstStrongIsolate = '\u2068'

/** The control that ends what each of these begins: embeddings, overrides and isolates. */
const endings: ReadonlyMap<string, string> = new Map([
  ...['\u202a', '\u202b', '\u202d', '\u202e'].map((control) => [control, popFormat] as const),
  ...['\u2066', '\u2067', firstStrongIsolate].map((control) => [control, popIsolate] as const),
])

/** Controls of direction, and letters of scripts that are written from right to left. */
const directed =
  /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** The text with a direction of its own, so that it does not reorder the sentence around it. */
export const isolated = (text: string) =>
  directed.test(text) ? firstStrongIsolate + closed(text) + popIsolate : text

/** Ends whatever its controls of direction begin, and drops those that would end something outside. */
export const closed = (text: string): string => {
  const open: string[] = []
  const kept = [...text].filter((char) => {
    const ending = endings.get(char)
    if (ending) open.push(ending)
    if (char === popFormat) return open.at(-1) === popFormat && open.pop() !== undefined
    if (char !== popIsolate) return true
    const begun = open.lastIndexOf(popIsolate)
    if (begun >= 0) open.length = begun
    return begun >= 0
  })
  return [...kept, ...open.toReversed()].join('')
}
