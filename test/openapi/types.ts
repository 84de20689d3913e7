type Node = Readonly<Record<string, unknown>>

type Schemas = readonly (readonly [name: string, schema: Node])[]

/** The types of the document's schemas as TypeScript: the long lists of words in one file, the rest in another. */
export const typesOf = (document: Node): { readonly codes: string; readonly types: string } => {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Node>> }
  const all = Object.entries(withLacks(schemas))
  const codes = all.filter(([, schema]) => schema.enum)
  const names = codes.map(([name]) => name).sort()
  return {
    codes: heading + declarations(codes),
    types: `${heading}import type { ${names.join(', ')} } from './codes.ts'\n\n${declarations(all.filter(([, schema]) => !schema.enum))}`,
  }
}

/** Of types that are alternatives each says what it lacks of the others: so a property tells which one it is. */
const withLacks = (schemas: Readonly<Record<string, Node>>): Readonly<Record<string, Node>> => {
  const made = { ...schemas }
  for (const { anyOf = [] } of Object.values(schemas)) {
    const names = (anyOf as readonly Node[]).map(({ $ref }) => nameOf($ref))
    const all = names.flatMap((name) => Object.keys(propertiesOf(schemas[name])))
    for (const name of names) {
      const own = propertiesOf(schemas[name])
      const properties = Object.fromEntries(all.map((property) => [property, own[property] ?? lacking]))
      made[name] = { ...schemas[name], properties }
    }
  }
  return made
}

const lacking: Node = { type: 'lacking' }

const propertiesOf = (schema: Node = {}) => (schema.properties ?? {}) as Readonly<Record<string, Node>>

const nameOf = ($ref: unknown) => String($ref).replace('#/components/schemas/', '')

const heading = '// Generated from docs/openapi.json by `npm run openapi`.\n\n'

const declarations = (schemas: Schemas) =>
  schemas
    .map(([name, schema]) => `${comment(schema).trim()}\nexport type ${name} = ${typeOf(schema, '')}\n`)
    .join('\n')

const comment = ({ description }: Node) => (description === undefined ? '' : `/** ${description} */ `)

const typeOf = (schema: Node, indent: string): string => {
  if (schema.$ref) return nameOf(schema.$ref)
  if (schema.anyOf) return (schema.anyOf as readonly Node[]).map((one) => typeOf(one, indent)).join(' | ')
  if (schema.enum) return (schema.enum as readonly string[]).map((value) => `'${value}'`).join(' | ')
  if (schema.properties) return objectType(schema, indent)
  if (schema.items) return `readonly ${inBrackets(typeOf(schema.items as Node, indent))}[]`
  const types = [schema.type].flat().map((type) => scalars[String(type)] ?? 'unknown')
  return types.join(' | ')
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  lacking: 'never',
}

const inBrackets = (type: string) => (type.includes(' ') ? `(${type})` : type)

/** What only the service writes is optional in a request, and there for the sake of what is sent back as it was read. */
const objectType = (schema: Node, indent: string) => {
  const inner = `${indent}  `
  const required = (schema.required ?? []) as readonly string[]
  const fields = Object.entries(propertiesOf(schema)).map(([name, field]) => {
    const isRequired = required.includes(name)
    const told = comment(isRequired ? field : ignored(field))
    return `${inner}${told}readonly ${name}${isRequired ? '' : '?'}: ${typeOf(field, inner)}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

/** The description of links says it already. */
const ignored = (field: Node): Node => {
  const { readOnly, description } = field
  if (!readOnly || /ignored/.test(String(description))) return field
  return { ...field, description: `${description} Ignored in a request.` }
}
