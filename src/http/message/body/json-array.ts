import type { Position } from './position.ts'

/** The text of one element of an array, and where it begins. */
export interface Element extends Position {
  readonly text: string
}

/** The text is no complete array of objects. */
export class JsonArrayFault extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const maxElementLength = 1024 * 1024

/** Reads the elements of an array of objects without holding the whole array. */
export async function* readArray(chunks: AsyncIterable<string>): AsyncGenerator<Element> {
  const reader = new ElementReader()
  for await (const chunk of chunks) yield* reader.read(chunk)
  reader.end()
}

class ElementReader {
  #line = 1
  #column = 0
  #begin: Position = { line: 1, column: 1 }
  /** 0 outside the array, 1 between its elements. */
  #depth = 0
  #inString = false
  #isEscaped = false
  #text = ''
  /** The last thing seen outside an element. */
  #last: 'nothing' | '[' | '}' | ',' | ']' = 'nothing'

  end() {
    if (this.#depth > 1) throw this.#unclosed()
    if (this.#last !== ']')
      throw new JsonArrayFault(this.#line, `line ${this.#line}: the array is not complete`)
  }

  *read(chunk: string): Generator<Element> {
    for (const character of chunk) {
      this.#column++
      if (character === '\n') {
        this.#line++
        this.#column = 0
      }
      if (this.#depth <= 1) this.#between(character)
      else if (this.#endsElement(character)) yield { ...this.#begin, text: this.#text }
    }
  }

  #between(character: string) {
    if (/[\s\ufeff]/.test(character)) return
    const follows = followers[this.#last]
    if (!follows.includes(character))
      throw new JsonArrayFault(this.#line, `line ${this.#line}: expected an array of objects`)
    this.#depth = character === '{' ? 2 : character === ']' ? 0 : 1
    this.#last = character === '{' ? '}' : (character as '[' | ',' | ']')
    this.#text = character
    this.#begin = { line: this.#line, column: this.#column }
  }

  #endsElement(character: string): boolean {
    this.#text += character
    if (this.#text.length > maxElementLength)
      throw new JsonArrayFault(this.#begin.line, `line ${this.#begin.line} is too long to be a record`)
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
    const { line } = this.#begin
    return new JsonArrayFault(line, `the object that begins in line ${line} is never closed`)
  }
}

/** What may follow outside an element. */
const followers = { nothing: '[', '[': '{]', '}': ',]', ',': '{', ']': '' } as const
