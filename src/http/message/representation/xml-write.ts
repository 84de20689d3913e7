import { isXmlText } from '#core/formats.ts'
import { onceFor } from '#core/once.ts'
import { type JsonSchema, schemaName } from '#http/message/schema.ts'

export const xmlPrologue = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** A document whose elements are the fields that the schema names, null as `xsi:nil`. */
export const writeXml = (root: string, value: unknown, schema: JsonSchema): string =>
  xmlPrologue + xmlElement(root, value, schema)

/** One element with every declaration that it needs, so that it can appear in any document. */
export const xmlElement = (name: string, value: unknown, schema: JsonSchema): string => {
  const { write, mayHoldNull } = contentWriter(schema)
  if (value === null) return `<${name}${declaration}${nil}/>`
  return `<${name}${mayHoldNull ? declaration : ''}>${write(value)}</${name}>`
}

const declaration = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const nil = ' xsi:nil="true"'

type Write = (value: unknown) => string

interface ContentWriter {
  readonly write: Write
  /** Whether an element inside may be null: then the outermost one declares the prefix. */
  readonly mayHoldNull: boolean
}

const contentWriter: (schema: JsonSchema) => ContentWriter = onceFor(({ properties, items }: JsonSchema) => {
  const within = Object.values(properties ?? (items ? { items } : {}))
  const mayHoldNull = within.some((schema) => isNullable(schema) || contentWriter(schema).mayHoldNull)
  if (properties) return { write: fieldsWriter(properties), mayHoldNull }
  return { write: items ? itemsWriter(items) : writeScalar, mayHoldNull }
})

/** Undefined fields are left out, as in JSON. */
const fieldsWriter = (properties: Readonly<Record<string, JsonSchema>>): Write => {
  const fields = Object.entries(properties).map(([name, schema]) => elementParts(name, schema))
  return (value) => {
    let text = ''
    for (const { name, opening, write, closing, none } of fields) {
      const field = (value as Readonly<Record<string, unknown>>)[name]
      if (typeof field === 'string') text += opening + escapeText(field) + closing
      else if (field === null) text += none
      else if (field !== undefined) text += opening + write(field) + closing
    }
    return text
  }
}

const itemsWriter = (items: JsonSchema): Write => {
  const { opening, write, closing, none } = elementParts(schemaName(items), items)
  return (values) => {
    let text = ''
    for (const value of values as readonly unknown[])
      text += value === null ? none : opening + write(value) + closing
    return text
  }
}

/** A null that the schema does not provide for declares its own prefix. */
const elementParts = (name: string, schema: JsonSchema) => ({
  name,
  opening: `<${name}>`,
  write: contentWriter(schema).write,
  closing: `</${name}>`,
  none: `<${name}${isNullable(schema) ? '' : declaration}${nil}/>`,
})

const isNullable = ({ type }: JsonSchema) => Array.isArray(type) && type.includes('null')

const suspicious = /[^\t\n\x20!#-%(-;=?-\ud7ff\ue000-\ufffd]/

const writeScalar: Write = (value) => escapeText(String(value))

/** The test is cheap, and most texts need no escaping. */
const escapeText = (text: string) => (suspicious.test(text) ? escapeSpecials(text) : text)

/** An XML parser would turn CR into a line feed. Characters that XML cannot carry at all become U+FFFD. */
const escapeSpecials = (text: string) => {
  const escaped = text.replace(/[&<>"'\r]/g, (character) => escapes[character] ?? '')
  return isXmlText(escaped)
    ? escaped
    : escaped.replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
}
