import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { toPrintableName } from '#core/formats.ts'
import type { DetailCode } from '#core/messages.ts'
import { bodyUnreadable, type MessageArgs } from '#core/problem.ts'
import { type JsonSchema, schemaName } from '#http/message/schema.ts'
import { maxBodyValues, maxDepth } from './json.ts'
import { positionAt } from './position.ts'

/**
 * Reads a document into the value that JSON would give: an element is the field of that name, `xsi:nil` is null, an empty
 * element is `''`. Fields that the schema does not know are included, so that validation can refuse them by name.
 */
export const parseXml = (
  text: string,
  schema: JsonSchema,
  { characters, elementsAndAttributes, slowCharacters }: XmlLimits = bodyLimits,
): unknown => {
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true })
  /** Where the tag, text, comment or declaration being parsed begins. */
  let tokenStart = 0
  const refuse: RefuseXml = (code, { target, at = tokenStart, ...more } = {}) => {
    const args = { ...positionAt(text, at + text.slice(at).search(/[^ \t\r\n]|$/)), ...more.args }
    throw bodyUnreadable(target === undefined ? { code, args } : { code, args, target })
  }
  const tree = new Tree({ schema, maxNodes: elementsAndAttributes, refuse })
  const endToken = () => {
    tokenStart = parser.position
  }
  parser.on('error', ({ message }) => {
    const at = Math.max(0, parser.position - 1)
    const code = tree.isComplete ? 'TrailingData' : codeOf(message, text[at])
    refuse(code, code === 'Doctype' || code === 'Attribute' ? {} : { at })
  })
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (encoding.toLowerCase() !== 'utf-8') refuse('Encoding')
    endToken()
  })
  parser.on('doctype', () => refuse('Doctype'))
  parser.on('processinginstruction', () => refuse('ProcessingInstruction'))
  parser.on('comment', () => {
    // This event comes one character before the comment ends.
    tokenStart = parser.position + 1
  })
  parser.on('attribute', () => tree.countNode())
  parser.on('opentag', (tag) => {
    tree.open(tag)
    endToken()
  })
  parser.on('text', (fragment) => {
    tree.addText(fragment, tokenStart)
    // This event comes one character after the text has ended.
    tokenStart = parser.position - 1
  })
  parser.on('cdata', (fragment) => {
    tree.addText(fragment, tokenStart)
    endToken()
  })
  parser.on('closetag', () => {
    tree.close()
    endToken()
  })
  if (text.length > characters) refuse('TooLong', { args: { max: characters } })
  if (!text.isWellFormed()) refuse('LoneSurrogate', { at: text.search(/\p{Surrogate}/u) })
  if (isBlank(text)) refuse('EmptyBody')
  // The first byte order mark has been removed, and the parser would skip a second one.
  if (text.startsWith('\ufeff')) refuse('Syntax')
  if (hasMoreSlowCharacters(text, slowCharacters)) refuse('TooMany', { args: { max: slowCharacters } })
  parser.write(text).close()
  return tree.value
}

interface XmlLimits {
  readonly characters: number
  readonly elementsAndAttributes: number
  readonly slowCharacters: number
}

const bodyLimits: XmlLimits = {
  characters: 131_072,
  elementsAndAttributes: maxBodyValues,
  slowCharacters: 10_000,
}

/** The parser is slow at these characters, so a text full of them would delay all other requests. */
const slowCharacter = /[&?\]-]/g

const hasMoreSlowCharacters = (text: string, max: number) =>
  text.matchAll(slowCharacter).drop(max).next().done === false

/** `at` defaults to the beginning of the current tag. */
type RefuseXml = (
  code: DetailCode,
  options?: { readonly args?: MessageArgs; readonly target?: string; readonly at?: number | undefined },
) => never

/** Turns a message of saxes into our code. `character` is the one at which the parser stopped. */
const codeOf = (message: string, character: string | undefined): DetailCode => {
  if (character === '\u0000') return 'NullCharacter'
  if (message.includes('entity')) return 'Entity'
  if (message.includes('doctype')) return 'Doctype'
  return message.includes('namespace prefix') ? 'Attribute' : 'Syntax'
}

interface Element {
  readonly name: string
  readonly schema: JsonSchema | undefined
  readonly isNull: boolean
  readonly fields: Map<string, unknown>
  readonly items: unknown[]
  text: string
  /** The index at which the first non-blank text of the element begins. */
  textStart?: number
}

interface TreeOptions {
  readonly schema: JsonSchema
  readonly maxNodes: number
  readonly refuse: RefuseXml
}

/** Builds the value while the document is parsed. */
class Tree {
  value: unknown
  isComplete = false
  readonly #root: string
  readonly #schema: JsonSchema
  readonly #maxNodes: number
  readonly #refuse: RefuseXml
  readonly #elements: Element[] = []
  #nodes = 0

  constructor({ schema, maxNodes, refuse }: TreeOptions) {
    this.#root = schema.xml?.name ?? ''
    this.#schema = schema
    this.#maxNodes = maxNodes
    this.#refuse = refuse
  }

  open({ name, attributes }: SaxesTagNS) {
    this.countNode()
    if (this.#elements.length === maxDepth) this.#refuse('TooDeep', { args: { max: maxDepth } })
    if (!Object.values(attributes).every(isAllowedAttribute)) this.#refuse('Attribute')
    const isNull = Object.values(attributes).some(isNilAttribute)
    this.#elements.push({
      name,
      schema: this.#schemaOf(name),
      isNull,
      fields: new Map(),
      items: [],
      text: '',
    })
  }

  countNode() {
    if (++this.#nodes > this.#maxNodes) this.#refuse('TooMany', { args: { max: this.#maxNodes } })
  }

  addText(text: string, at: number) {
    const element = this.#elements.at(-1)
    if (!element) return
    element.text += text
    if (!isBlank(text)) element.textStart ??= at
  }

  close() {
    const element = this.#elements.pop()
    const parent = this.#elements.at(-1)
    if (!element) return
    const value = this.#valueOf(element)
    if (parent) return addToParent(parent, element.name, value)
    this.value = value
    this.isComplete = true
  }

  #schemaOf(name: string): JsonSchema | undefined {
    const parent = this.#elements.at(-1)
    if (!parent)
      return name === this.#root
        ? this.#schema
        : this.#refuse('WrongRoot', { args: { expected: this.#root } })
    const { items, properties } = parent.schema ?? {}
    if (items)
      return name === schemaName(items) ? items : this.#refuse('UnknownField', { target: this.#target(name) })
    if (!properties || !Object.hasOwn(properties, name)) return undefined
    return parent.fields.has(name)
      ? this.#refuse('DuplicateName', { target: this.#target(name) })
      : properties[name]
  }

  #target(name: string) {
    return [...this.#elements.slice(1).map((element) => element.name), name].map(toPrintableName).join('.')
  }

  #valueOf({ schema, isNull, fields, items, text, textStart }: Element): unknown {
    const hasElements = fields.size > 0 || items.length > 0
    if (isNull) return hasElements || text !== '' ? this.#refuse('Syntax') : null
    if (hasElements && textStart !== undefined) this.#refuse('MixedContent', { at: textStart })
    if (hasElements) return items.length > 0 ? items : Object.fromEntries(fields)
    if (isBlank(text) && schema?.items) return []
    if (isBlank(text) && schema?.properties) return {}
    return scalar(text, schema)
  }
}

const isBlank = (text: string) => /^[ \t\r\n]*$/.test(text)

const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'
const declarationNamespace = 'http://www.w3.org/2000/xmlns/'

/** Only `xsi:nil` and the declaration of its prefix are allowed. */
const isAllowedAttribute = ({ prefix, uri, local, value }: SaxesAttributeNS) => {
  if (uri === declarationNamespace) return prefix === 'xmlns' && value === instanceNamespace
  return uri === instanceNamespace && local === 'nil' && ['true', '1', 'false', '0'].includes(value)
}

const isNilAttribute = ({ uri, value }: SaxesAttributeNS) =>
  uri === instanceNamespace && (value === 'true' || value === '1')

/** Adds a field or an item. A field that the schema does not describe may be repeated, because it may be an ignored list. */
const addToParent = ({ schema, fields, items }: Element, name: string, value: unknown) => {
  const existing = fields.get(name)
  if (schema?.items) items.push(value)
  else if (!fields.has(name)) fields.set(name, value)
  else if (Array.isArray(existing)) existing.push(value)
  else fields.set(name, [existing, value])
}

const numberShape = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A text that does not match its type stays a text, so that validation refuses it. */
const scalar = (text: string, schema: JsonSchema | undefined) => {
  const types = [schema?.type].flat()
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  const isNumber = types.includes('integer') || types.includes('number')
  return isNumber && numberShape.test(text) && Number.isFinite(Number(text)) ? Number(text) : text
}
