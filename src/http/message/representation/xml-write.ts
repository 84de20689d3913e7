import { isXmlText } from '#core/formats.ts'
import { memoizeByObject } from '#core/once.ts'
import { isNullable } from '#core/schema.ts'
import { type JsonSchema, schemaName } from '#http/message/schema.ts'

export const xmlPrologue = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Writes a document with one element per field of the schema, and null as `xsi:nil`. */
export const writeXml = (root: string, value: unknown, schema: JsonSchema): string =>
  xmlPrologue + xmlElement(root, value, schema)

/** Writes one element with all the declarations that it needs, so that it can be put into any document. */
export const xmlElement = (name: string, value: unknown, schema: JsonSchema): string =>
  `<${name}${hasNullable(schema) ? xsiDeclaration : ''}>${content(value, schema)}</${name}>`

const xsiDeclaration = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const nil = ' xsi:nil="true"'

/** True if a nested element may be null, so that the outermost element must declare the prefix. */
const hasNullable: (schema: JsonSchema) => boolean = memoizeByObject(({ properties, items }: JsonSchema) =>
  Object.values(properties ?? (items ? { items } : {})).some(
    (schema) => isNullable(schema) || hasNullable(schema),
  ),
)

const content = (value: unknown, { properties, items }: JsonSchema): string => {
  if (properties) {
    const fields = value as Readonly<Record<string, unknown>>
    return Object.entries(properties)
      .map(([name, schema]) => element(name, fields[name], schema))
      .join('')
  }
  if (items)
    return (value as readonly unknown[]).map((item) => element(schemaName(items), item, items)).join('')
  return escapeText(String(value))
}

/** Undefined fields are left out, as in JSON. A null that the schema does not allow declares its own prefix. */
const element = (name: string, value: unknown, schema: JsonSchema): string => {
  if (value === undefined) return ''
  if (value === null) return `<${name}${isNullable(schema) ? '' : xsiDeclaration}${nil}/>`
  return `<${name}>${content(value, schema)}</${name}>`
}

const needsEscaping = /[^\t\n\x20!#-%(-;=?-\ud7ff\ue000-\ufffd]/

/** The test first, because it is cheap and most texts need no escaping. */
const escapeText = (text: string) => (needsEscaping.test(text) ? escapeSpecials(text) : text)

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
