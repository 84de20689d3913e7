type Node = Readonly<Record<string, unknown>>

type Schemas = readonly (readonly [name: string, schema: Node])[]

/** The schemas of the document as TypeScript types: the long unions of codes in one file, the rest in another. */
export const typesOf = (document: Node): { readonly codes: string; readonly types: string } => {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Node>> }
  const all = Object.entries(withExclusions(schemas))
  const codes = all.filter(([, schema]) => schema.enum)
  const names = codes.map(([name]) => name).sort()
  return {
    codes: heading + constantsOf(schemas) + declarations(codes),
    types: `${heading}import type { ${names.join(', ')} } from './codes.ts'\n\n${declarations([...all.filter(([, schema]) => !schema.enum), ...queriesOf(document)])}`,
  }
}

/** What each list can be filtered and sorted by. */
const queriesOf = ({ paths }: Node): Schemas =>
  Object.values(paths as Readonly<Record<string, { readonly get?: Node }>>).flatMap(({ get }) => {
    const parameters = (get?.parameters ?? []) as readonly Node[]
    if (!parameters.some((one) => one.name === 'page')) return []
    const noun = String(get?.operationId).replace(/^list(.*)s$/, '$1')
    const filters = parameters.filter((one) => one.in === 'query' && !isOfEveryList(one))
    const properties = filters.map(({ name, schema, description }) => [
      name,
      { ...(schema as Node), description, isOptional: true },
    ])
    const filter = [`${noun}Filter`, { properties: Object.fromEntries(properties) }] as const
    return [[`${noun}Sort`, sortOf(parameters)], ...(filters.length === 0 ? [] : [filter])]
  })

/** The properties alone, without their directions. */
const sortOf = (parameters: readonly Node[]): Node => {
  const { schema } = parameters.find((one) => one.name === 'sort') as { readonly schema: { items: Node } }
  return { enum: (schema.items.enum as readonly string[]).filter((one) => !one.includes(',')) }
}

const isOfEveryList = ({ name }: Node) =>
  ['view', 'links', 'fields', 'page', 'size', 'sort', 'cursor'].includes(String(name))

/** Each alternative of an `anyOf` declares the properties of the others as `never`, so that a property tells them apart. */
const withExclusions = (schemas: Readonly<Record<string, Node>>): Readonly<Record<string, Node>> => {
  const result = { ...schemas }
  for (const { anyOf = [] } of Object.values(schemas)) {
    const names = (anyOf as readonly Node[]).map(({ $ref }) => nameOf($ref))
    const all = names.flatMap((name) => Object.keys(propertiesOf(schemas[name])))
    for (const name of names) {
      const own = propertiesOf(schemas[name])
      const properties = Object.fromEntries(all.map((property) => [property, own[property] ?? absent]))
      result[name] = { ...schemas[name], properties }
    }
  }
  return result
}

const absent: Node = { type: 'absent' }

const propertiesOf = (schema: Node = {}) => (schema.properties ?? {}) as Readonly<Record<string, Node>>

const nameOf = ($ref: unknown) => String($ref).replace('#/components/schemas/', '')

/** What programs call the codes, and the types of the changes. */
const constantsOf = ({ ErrorCode = {}, Change = {} }: Readonly<Record<string, Node>>) => {
  const names = ErrorCode['x-enum-varnames'] as readonly string[]
  const codes = (ErrorCode.enum as readonly string[]).map((code, at) => `  ${names[at]}: '${code}',\n`)
  const types = JSON.stringify(propertiesOf(Change).type?.enum)
  return `/** Every error code by its name. */
export const codes = {\n${codes.join('')}} as const\n
/** The types of all changes. */\nexport const changeTypes = ${types} as const\n\n`
}

const heading = '// Generated from docs/openapi.json by `npm run openapi`.\n\n'

const declarations = (schemas: Schemas) =>
  schemas
    .map(([name, schema]) => `${comment(schema).trim()}\nexport type ${name} = ${typeOf(schema, '')}\n`)
    .join('\n')

const comment = ({ description }: Node) => (description === undefined ? '' : `/** ${description} */ `)

const typeOf = (schema: Node, indent: string): string => {
  if (schema.$ref) return nameOf(schema.$ref)
  if (schema.anyOf) return (schema.anyOf as readonly Node[]).map((one) => typeOf(one, indent)).join(' | ')
  if (schema.enum)
    return (schema.enum as readonly (string | null)[])
      .map((one) => (one === null ? 'null' : `'${one}'`))
      .join(' | ')
  if (schema.properties) return objectType(schema, indent)
  if (schema.type === 'object')
    return schema.additionalProperties === true
      ? 'object'
      : `Readonly<Record<string, ${typeOf(schema.additionalProperties as Node, indent)}>>`
  if (schema.items) {
    const list = `readonly ${inBrackets(typeOf(schema.items as Node, indent))}[]`
    return [schema.type].flat().includes('null') ? `${list} | null` : list
  }
  const types = [schema.type].flat().map((type) => scalars[String(type)] ?? 'unknown')
  return types.join(' | ')
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  absent: 'never',
}

const inBrackets = (type: string) => (type.includes(' ') ? `(${type})` : type)

/** Fields that only the service writes are optional in a request, so that a representation can be sent back as read. */
const objectType = (schema: Node, indent: string) => {
  const inner = `${indent}  `
  const required = (schema.required ?? []) as readonly string[]
  const fields = Object.entries(propertiesOf(schema)).map(([name, field]) => {
    const isRequired = required.includes(name)
    const doc = comment(isRequired ? field : ignored(field))
    const type = `${typeOf(field, inner)}${field.isOptional ? ' | undefined' : ''}`
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${inner}${doc}readonly ${key}${isRequired ? '' : '?'}: ${type}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

/** The description of `links` says so already. */
const ignored = (field: Node): Node => {
  const { readOnly, description } = field
  if (!readOnly || /ignored/.test(String(description))) return field
  return { ...field, description: `${description} Ignored in a request.` }
}
