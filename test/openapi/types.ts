type Node = Readonly<Record<string, unknown>>

type Schemas = readonly (readonly [name: string, schema: Node])[]

/** The codes of the document, for programs. */
export const codesOf = (document: Node): string => {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Node>> }
  return heading + constantsOf(schemas) + declarations([['Constraint', schemas.Constraint ?? {}]])
}

/** The schemas and lists of the document as TypeScript types. */
export const typesOf = (document: Node): Readonly<Record<string, string>> => {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Node>> }
  const all = [...Object.entries(withExclusions(schemas)), ...queriesOf(document)]
  return Object.fromEntries(all.map(([name, schema]) => [name, typeOf(schema)]))
}

/** The filters and sort properties of each list. */
const queriesOf = ({ paths }: Node): Schemas =>
  Object.values(paths as Readonly<Record<string, { readonly get?: Node }>>).flatMap(({ get }) => {
    const parameters = (get?.parameters ?? []) as readonly Node[]
    if (!parameters.some((one) => one.name === 'page')) return []
    const noun = String(get?.operationId).replace(/^list(.*)s$/, '$1')
    const filters = parameters.filter((one) => one.in === 'query' && !isOfEveryList(one))
    const properties = filters.map(({ name, schema }) => [name, { ...(schema as Node), isOptional: true }])
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

/** The names of the codes for programs. */
const constantsOf = ({ ErrorCode = {} }: Readonly<Record<string, Node>>) => {
  const names = ErrorCode['x-enum-varnames'] as readonly string[]
  const codes = (ErrorCode.enum as readonly string[]).map((code, at) => `  ${names[at]}: '${code}',\n`)
  return `/** Every error code by its name. */
export const codes = {\n${codes.join('')}} as const\n
/** ${ErrorCode.description} */
export type ErrorCode = (typeof codes)[keyof typeof codes]\n\n`
}

const heading = '// Generated from docs/openapi.json by `npm run openapi`.\n\n'

const declarations = (schemas: Schemas) =>
  schemas
    .map(([name, schema]) => `/** ${schema.description} */\nexport type ${name} = ${typeOf(schema)}\n`)
    .join('\n')

const typeOf = (schema: Node): string => {
  if (schema.$ref) return nameOf(schema.$ref)
  if (schema.anyOf) return (schema.anyOf as readonly Node[]).map((one) => typeOf(one)).join(' | ')
  if (schema.enum) {
    const values = schema.enum as readonly (string | null)[]
    return values.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ') || 'never'
  }
  if (schema.properties) return objectType(schema)
  if (schema.type === 'object')
    return schema.additionalProperties === true
      ? 'object'
      : `Readonly<Record<string, ${typeOf(schema.additionalProperties as Node)}>>`
  if (schema.items) {
    const list = `readonly ${inBrackets(typeOf(schema.items as Node))}[]`
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
const objectType = (schema: Node) => {
  const required = (schema.required ?? []) as readonly string[]
  const fields = Object.entries(propertiesOf(schema)).map(([name, field]) => {
    const type = `${typeOf(field)}${field.isOptional ? ' | undefined' : ''}`
    return `readonly '${name}'${required.includes(name) ? '' : '?'}: ${type};`
  })
  return `{ ${fields.join(' ')} }`
}
