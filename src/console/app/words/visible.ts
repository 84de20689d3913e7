import type { Fault } from '#console/app/api/failure.ts'
import type { Words } from './index.ts'

const invisibleStart = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]+/u

/** The text without leading characters that are invisible. */
export const trimInvisible = (text: string) => text.replace(invisibleStart, '')

/** The text, or “(empty)” if it would be invisible. */
export const textOrEmptyMark = (text: string, { emptyText }: Words) =>
  trimInvisible(text) === '' ? emptyText : text

/** A text to show within a sentence. A text that stands alone is not isolated, so that users can copy it unchanged. */
export const quotedText = (text: string, words: Words) => isolate(textOrEmptyMark(text, words))

const popFormat = '\u202c'
const popIsolate = '\u2069'
const firstStrongIsolate = '\u2068'

/** The closing control of each embedding, override and isolate. */
const closingControls: ReadonlyMap<string, string> = new Map([
  ...['\u202a', '\u202b', '\u202d', '\u202e'].map((control) => [control, popFormat] as const),
  ...['\u2066', '\u2067', firstStrongIsolate].map((control) => [control, popIsolate] as const),
])

/** Direction controls, and the letters of scripts that are written from right to left. */
const directional =
  /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Isolates the direction of a text, so that the text does not reorder the sentence around it. */
export const isolate = (text: string) =>
  directional.test(text) ? firstStrongIsolate + closeControls(text) + popIsolate : text

/** Closes all direction controls that the text leaves open, and drops closing controls that close nothing. */
export const closeControls = (text: string): string => {
  const open: string[] = []
  const kept = [...text].filter((char) => {
    const ending = closingControls.get(char)
    if (ending) open.push(ending)
    if (char === popFormat) return open.at(-1) === popFormat && open.pop() !== undefined
    if (char !== popIsolate) return true
    const begun = open.lastIndexOf(popIsolate)
    if (begun >= 0) open.length = begun
    return begun >= 0
  })
  return [...kept, ...open.toReversed()].join('')
}

/** The text to show for a fault next to its field: the console's text for the code or, without one, the message of the service. */
export const faultText = ({ code, message, byRule }: Fault, { faults }: Words): string => {
  if (byRule) return message
  if (code === 'Size') return sizeText(message, faults) ?? message
  if (code === 'e.xx.yy.8001') return faults.signIdInUse(isolate(message.replace(/^.*? : /s, '')))
  return (faults.plain as Readonly<Record<string, string>>)[code] ?? message
}

/** The text for a wrong length. Only the message of the service has the limits. */
const sizeText = (message: string, { longest, between }: Words['faults']) => {
  const [min, max] = message.match(/\d+/g) ?? []
  if (min === undefined || max === undefined) return undefined
  return min === '0' ? longest(max) : between(min, max)
}
