import type { Position } from '#http/message/body/position.ts'

/** The text of one element of an array, and where it begins. */
export interface Element extends Position {
  readonly text: string
}

const maxElementLength = 1024 * 1024

/** Reads the elements of an array of objects without holding the whole array. */
export async function* readArray(chunks: AsyncIterable<string>): AsyncGenerator<Element> {
  const cutter = new Cutter()
  for await (const chunk of chunks) yield* cutter.read(chunk)
  cutter.end()
}

class Cutter {
  #line = 1
  #column = 0
  #begin: Position = { line: 1, column: 1 }
  #depth = 0
  #inString = false
  #isEscaped = false
  #text = ''
  #hasEnded = false
  /** The last thing seen between the brackets. */
  #last: 'nothing' | 'element' | 'comma' = 'nothing'

  end() {
    if (this.#depth > 1) throw this.#unclosed()
    if (!this.#hasEnded) throw new Error(`line ${this.#line}: the array is not complete`)
  }

  *read(chunk: string): Generator<Element> {
    for (const character of chunk) {
      this.#column++
      if (character === '\n') {
        this.#line++
        this.#column = 0
      }
      if (this.#depth <= 1) this.#between(character)
      else if (this.#take(character)) yield { ...this.#begin, text: this.#text }
    }
  }

  /** Takes a character of an element. Returns whether it was the last. */
  #take(character: string): boolean {
    this.#text += character
    if (this.#text.length > maxElementLength)
      throw new Error(`line ${this.#begin.line} is too long to be a record`)
    if (this.#inString) this.#string(character)
    else if (character === '"') this.#inString = true
    else if (character === '{' || character === '[') this.#depth++
    else if (character === '}' || character === ']') this.#depth--
    if (this.#depth > 1) return false
    if (character === ']') throw this.#unclosed()
    return true
  }

  #unclosed() {
    return new Error(`the object that begins in line ${this.#begin.line} is never closed`)
  }

  #string(character: string) {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === '\\') this.#isEscaped = true
    else if (character === '"') this.#inString = false
  }

  #between(character: string) {
    if (/[\s\ufeff]/.test(character)) return
    if (this.#depth === 0 && character === '[' && !this.#hasEnded) this.#depth = 1
    else if (this.#depth === 1 && character === ']' && this.#last !== 'comma') this.#end()
    else if (this.#depth === 1 && character === ',' && this.#last === 'element') this.#last = 'comma'
    else if (this.#depth === 1 && character === '{' && this.#last !== 'element') this.#open()
    else throw new Error(`line ${this.#line}: expected an array of objects`)
  }

  #open() {
    this.#depth = 2
    this.#last = 'element'
    this.#text = '{'
    this.#begin = { line: this.#line, column: this.#column }
  }

  #end() {
    this.#depth = 0
    this.#hasEnded = true
  }
}
