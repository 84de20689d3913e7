import { toPrintableName } from '#core/formats.ts'
import type { DetailCode } from '#core/messages.ts'
import { bodyUnreadable } from '#core/problem.ts'
import { type Position, positionAt } from './position.ts'

export const maxDepth = 32

/** The maximum number of values in a body, at all depths together: each takes time to read, and to report if it is wrong. */
export const maxBodyValues = 1_000

/**
 * Reads JSON by RFC 8259, and refuses texts that parsers interpret differently: a repeated name, nesting deeper than 32, more
 * than a thousand values, NUL, lone surrogates, numbers that no double can hold. `from` is where the text begins in its file.
 */
export const parseJson = (text: string, from?: Position, maxValues = maxBodyValues): unknown => {
  new Checker(text, from, maxValues).check()
  return JSON.parse(text)
}

/** Scans a text and throws at the first fault. JSON.parse builds the value afterwards. */
class Checker {
  readonly #text: string
  readonly #from: Position | undefined
  readonly #maxValues: number
  /** The names and indexes that lead to the current value. */
  readonly #path: (string | number)[] = []
  #index = 0
  #valueCount = 0

  constructor(text: string, from: Position | undefined, maxValues: number) {
    this.#text = text
    this.#from = from
    this.#maxValues = maxValues
  }

  check() {
    if (!this.#text.isWellFormed()) this.#refuse('LoneSurrogate', this.#text.search(/\p{Surrogate}/u))
    this.#skipSpace()
    if (this.#index === this.#text.length) this.#refuse('EmptyBody')
    this.#value(0)
    this.#skipSpace()
    if (this.#index < this.#text.length) this.#refuse('TrailingData')
  }

  #value(depth: number) {
    if (++this.#valueCount > this.#maxValues) this.#refuse('TooMany')
    switch (this.#text.charCodeAt(this.#index)) {
      case codeUnits.quote:
        this.#string()
        break
      case codeUnits.openObject:
        this.#object(depth)
        break
      case codeUnits.openArray:
        this.#array(depth)
        break
      default:
        if (!this.#skip(literalShape)) this.#number()
    }
  }

  #object(depth: number) {
    if (depth === maxDepth) this.#refuse('TooDeep')
    this.#index++
    if (this.#take(codeUnits.closeObject)) return
    const names = new Set<string>()
    do {
      this.#skipSpace()
      const start = this.#index
      const name = this.#name()
      this.#path[depth] = name
      if (names.has(name)) this.#refuse('DuplicateName', start, this.#target(depth))
      names.add(name)
      if (!this.#take(codeUnits.colon)) this.#refuse('Syntax')
      this.#skipSpace()
      this.#value(depth + 1)
    } while (this.#take(codeUnits.comma))
    if (!this.#take(codeUnits.closeObject)) this.#refuse('Syntax')
  }

  #array(depth: number) {
    if (depth === maxDepth) this.#refuse('TooDeep')
    this.#index++
    if (this.#take(codeUnits.closeArray)) return
    let index = 0
    do {
      this.#path[depth] = index++
      this.#skipSpace()
      this.#value(depth + 1)
    } while (this.#take(codeUnits.comma))
    if (!this.#take(codeUnits.closeArray)) this.#refuse('Syntax')
  }

  #name(): string {
    const start = this.#index
    if (this.#text.charCodeAt(start) !== codeUnits.quote) this.#refuse('Syntax')
    const hasEscapes = this.#string()
    return hasEscapes
      ? JSON.parse(this.#text.slice(start, this.#index))
      : this.#text.slice(start + 1, this.#index - 1)
  }

  /** Skips a string. Returns whether it has escapes. */
  #string(): boolean {
    const start = this.#index++
    let hasEscapes = false
    for (;;) {
      const code = this.#text.charCodeAt(this.#index)
      if (code === codeUnits.quote) break
      if (code === codeUnits.backslash) {
        hasEscapes = true
        this.#escape()
      } else if (code >= codeUnits.space) this.#index++
      else this.#refuse(code === 0 ? 'NullCharacter' : 'Syntax')
    }
    this.#index++
    if (hasEscapes && !JSON.parse(this.#text.slice(start, this.#index)).isWellFormed())
      this.#refuse('LoneSurrogate', start)
    return hasEscapes
  }

  #escape() {
    if (this.#text.startsWith('\\u0000', this.#index)) this.#refuse('NullCharacter')
    if (!this.#skip(escapeShape)) this.#refuse('Syntax')
  }

  #number() {
    const start = this.#index
    if (!this.#skip(numberShape)) this.#refuse('Syntax')
    if (!Number.isFinite(Number(this.#text.slice(start, this.#index)))) this.#refuse('NumberRange', start)
  }

  #take(expected: number): boolean {
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#index) !== expected) return false
    this.#index++
    return true
  }

  #skipSpace() {
    while (isSpace(this.#text.charCodeAt(this.#index))) this.#index++
  }

  #skip(shape: RegExp): boolean {
    shape.lastIndex = this.#index
    if (!shape.test(this.#text)) return false
    this.#index = shape.lastIndex
    return true
  }

  #target(depth: number): string {
    const names = this.#path.slice(0, depth + 1)
    return names.map((name) => toPrintableName(String(name))).join('.')
  }

  #refuse(code: DetailCode, at = this.#index, target?: string): never {
    const max = { TooDeep: maxDepth, TooMany: this.#maxValues }[code as string]
    const args = { ...positionAt(this.#text, at, this.#from), ...(max !== undefined && { max }) }
    throw bodyUnreadable(target === undefined ? { code, args } : { code, args, target })
  }
}

const codeUnits = {
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  tab: 0x09,
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
}

const isSpace = (code: number) =>
  code === codeUnits.space ||
  code === codeUnits.lineFeed ||
  code === codeUnits.carriageReturn ||
  code === codeUnits.tab

const literalShape = /true|false|null/y
const numberShape = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const escapeShape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
