import { parseXml } from '#http/message/body/xml-read.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { type Node, resolve } from './document.ts'

/** The value of an XML document, read by the schema of the response. */
export const valueOfXml = (text: string, schema: Node): unknown => {
  const root = /<([A-Za-z]+)[\s>/]/.exec(text)?.[1] ?? ''
  const choices = choicesOf(schema).map(plain)
  const choice = choices.find(({ xml, items, properties }) => {
    if (xml?.name !== root) return false
    return (
      items !== undefined ||
      Object.keys(properties ?? {}).every((name) => !isPage(name) || text.includes(`<${name}>`))
    )
  })
  if (!choice) throw new Error(`no schema of the answer has the root ${root}`)
  return parseXml(text, choice, ofAnyLength)
}

/** A response may be larger than a request body. */
const ofAnyLength = {
  characters: Number.POSITIVE_INFINITY,
  elementsAndAttributes: Infinity,
  slowCharacters: Infinity,
}

/** Tells a numbered page from a cursor page, which does not have this property. */
const isPage = (name: string) => name === 'totalElements'

const choicesOf = (schema: Node): readonly Node[] => {
  const { anyOf, allOf } = resolve(schema) as { anyOf?: readonly Node[]; allOf?: readonly Node[] }
  if (anyOf) return anyOf.flatMap(choicesOf)
  return allOf?.[0] ? choicesOf(allOf[0]) : [resolve(schema)]
}

/** The schema without references; of several views the first, which has the fields of all others. */
const plain = (schema: Node): JsonSchema => {
  const [first = {}] = choicesOf(schema)
  const { properties, items, ...rest } = first as Node & { properties?: Record<string, Node>; items?: Node }
  return {
    ...rest,
    ...(items ? { items: plain(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, plain(field)]),
          ),
        }
      : {}),
  }
}
