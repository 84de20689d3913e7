import type { Position } from './position.ts'

/** The text of one element of an array, and where it begins. */
export interface ArrayElement extends Position {
  readonly text: string
}

/** Thrown if the text is not a complete array of objects, or if an object is too long. */
export class JsonArrayFault extends Error {
  readonly line: number
  readonly isTooLong: boolean

  constructor(line: number, message: string, isTooLong = false) {
    super(message)
    this.line = line
    this.isTooLong = isTooLong
  }
}

const maxElementLength = 1024 * 1024

/** Reads the elements of an array of objects without holding the whole array. */
export async function* readArray(chunks: AsyncIterable<string>): AsyncGenerator<ArrayElement> {
  const reader = new ElementReader()
  for await (const chunk of chunks) yield* reader.read(chunk)
  reader.end()
}

class ElementReader {
  #line = 1
  #column = 0
  #elementStart: Position = { line: 1, column: 1 }
  /** 0 outside the array, 1 between its elements. */
  #depth = 0
  #inString = false
  #isEscaped = false
  #text = ''
  /** The last token outside the elements. `}` stands for a whole element, and is set when the element begins. */
  #lastToken: 'nothing' | '[' | '}' | ',' | ']' = 'nothing'

  end() {
    if (this.#depth > 1) throw this.#unclosed()
    if (this.#lastToken !== ']')
      throw new JsonArrayFault(this.#line, `line ${this.#line}: the array is not complete`)
  }

  *read(chunk: string): Generator<ArrayElement> {
    for (const character of chunk) {
      this.#column++
      if (character === '\n') {
        this.#line++
        this.#column = 0
      }
      if (this.#depth <= 1) this.#between(character)
      else if (this.#addToElement(character)) yield { ...this.#elementStart, text: this.#text }
    }
  }

  #between(character: string) {
    if (/[\s\ufeff]/.test(character)) return
    const allowed = allowedAfter[this.#lastToken]
    if (!allowed.includes(character))
      throw new JsonArrayFault(this.#line, `line ${this.#line}: expected an array of objects`)
    this.#depth = character === '{' ? 2 : character === ']' ? 0 : 1
    this.#lastToken = character === '{' ? '}' : (character as '[' | ',' | ']')
    this.#text = character
    this.#elementStart = { line: this.#line, column: this.#column }
  }

  /** Returns whether the element is complete. */
  #addToElement(character: string): boolean {
    this.#text += character
    if (this.#text.length > maxElementLength)
      throw new JsonArrayFault(
        this.#elementStart.line,
        `line ${this.#elementStart.line} is too long to be a record`,
        true,
      )
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === '"') this.#inString = !this.#inString
    else if (this.#inString) this.#isEscaped = character === '\\'
    else if (character === '{' || character === '[') this.#depth++
    else if (character === '}' || character === ']') this.#depth--
    if (this.#depth > 1) return false
    if (character === ']') throw this.#unclosed()
    return true
  }

  #unclosed() {
    const { line } = this.#elementStart
    return new JsonArrayFault(line, `the object that begins in line ${line} is never closed`)
  }
}

/** The tokens that may follow each token outside an element. */
const allowedAfter = { nothing: '[', '[': '{]', '}': ',]', ',': '{', ']': '' } as const
