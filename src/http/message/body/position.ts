import { codePoints } from '#core/formats.ts'

/** A position in a text, counted from 1; the column counts characters. */
export interface Position {
  readonly line: number
  readonly column: number
}

const top: Position = { line: 1, column: 1 }

/** The position of this index in a text that begins at `from`. */
export const positionAt = (text: string, at: number, from = top): Position => {
  let { line, column } = from
  let start = 0
  for (let index = 0; index < at; index++) {
    if (!endsLine(text, index)) continue
    line++
    column = 1
    start = index + 1
  }
  return { line, column: column + codePoints(text.slice(start, at)) }
}

const endsLine = (text: string, at: number) =>
  text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')
