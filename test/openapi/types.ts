type Node = Readonly<Record<string, unknown>>

type Schemas = readonly (readonly [name: string, schema: Node])[]

/** The types of the document's schemas as TypeScript: the long lists of words in one file, the rest in another. */
export const typesOf = (document: Node): { readonly codes: string; readonly types: string } => {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Node>> }
  const all = Object.entries(schemas)
  const codes = all.filter(([, schema]) => schema.enum)
  const names = codes.map(([name]) => name).sort()
  return {
    codes: heading + declarations(codes),
    types: `${heading}import type { ${names.join(', ')} } from './codes.ts'\n\n${declarations(all.filter(([, schema]) => !schema.enum))}`,
  }
}

const heading = '// Generated from docs/openapi.json by `npm run openapi`.\n\n'

const declarations = (schemas: Schemas) =>
  schemas
    .map(([name, schema]) => `${comment(schema).trim()}\nexport type ${name} = ${typeOf(schema, '')}\n`)
    .join('\n')

const comment = ({ description }: Node) => (description === undefined ? '' : `/** ${description} */ `)

const typeOf = (schema: Node, indent: string): string => {
  if (schema.$ref) return String(schema.$ref).replace('#/components/schemas/', '')
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
}

const inBrackets = (type: string) => (type.includes(' ') ? `(${type})` : type)

/** What only the service writes is optional in a request, and there for the sake of what is sent back as it was read. */
const objectType = (schema: Node, indent: string) => {
  const inner = `${indent}  `
  const required = (schema.required ?? []) as readonly string[]
  const fields = Object.entries(schema.properties as Readonly<Record<string, Node>>).map(
    ([name, field]) =>
      `${inner}${comment(field)}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(field, inner)}\n`,
  )
  return `{\n${fields.join('')}${indent}}`
}
