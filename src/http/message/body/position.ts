import { countCodePoints } from '#core/formats.ts'

/** A position in a text. Lines and columns are counted from 1, columns in characters. */
export interface Position {
  readonly line: number
  readonly column: number
}

const textStart: Position = { line: 1, column: 1 }

/** The position of an index of `text`. `from` is where the text begins in a larger one. */
export const positionAt = (text: string, at: number, from = textStart): Position => {
  let { line, column } = from
  let start = 0
  for (let index = 0; index < at; index++) {
    if (!endsLine(text, index)) continue
    line++
    column = 1
    start = index + 1
  }
  return { line, column: column + countCodePoints(text.slice(start, at)) }
}

const endsLine = (text: string, at: number) =>
  text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')
