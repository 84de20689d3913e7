import { document, misfits, type Node, resolve } from './conform/document.ts'
import { valueOfXml } from './conform/xml.ts'

export interface Exchange {
  readonly method: string
  /** The path below the prefix, with its query. */
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Throws if the status, the header fields or the body of a response contradict the OpenAPI document. */
export const conform = (exchange: Exchange) => {
  const response = promised(exchange)
  const wrong = [
    ...wrongFields(exchange, response),
    ...(isChosen(exchange) ? [] : wrongBody(exchange, response)),
    ...wrongCode(exchange, response),
  ]
  if (wrong.length > 0)
    throw new Error(
      `${exchange.method} ${exchange.path} ${exchange.status}: ${wrong.join('; ')}\n${exchange.text.slice(0, 500)}`,
    )
}

/** A caller that chooses fields gets fewer than the schemas require, as the document says. */
const isChosen = ({ path, status }: Exchange) => status < 300 && /[?&]fields=/.test(path)

/** The documented response of this status, or of refusals if the path or the method is unknown. */
const promised = ({ method, path, status }: Exchange): Node => {
  if (method === 'OPTIONS' && status === 204) return options
  const responses = operationOf({ method, path })?.responses as Readonly<Record<string, Node>> | undefined
  if (!responses) return status >= 400 ? anyRefusal : { description: 'nothing at all' }
  return resolve(responses[status] ?? responses.default ?? {})
}

const operationOf = ({ method, path }: Pick<Exchange, 'method' | 'path'>) =>
  pathItem(path.split('?', 1)[0] ?? '')?.[method === 'HEAD' ? 'get' : method.toLowerCase()] as
    | Node
    | undefined

/** Refusals must have a code that the operation names for this status, unless they come before the operation. */
const wrongCode = (exchange: Exchange, response: Node): readonly string[] => {
  const code = exchange.status >= 400 ? /"code":"([^"]+)"|<code>([^<]+)/.exec(exchange.text) : null
  const operation = operationOf(exchange)
  if (!code || !operation) return []
  const sent = code[1] ?? code[2]
  const named = [operation, response].map((node) => node['x-error-codes'] as readonly unknown[])
  // Declared rules refuse with codes of their own.
  if (resolve({ $ref: '#/components/schemas/ErrorCode' }).enum === undefined) return []
  const isNamed = named.every((codes) => codes.includes(sent)) || earlier.includes(sent)
  return isNamed ? [] : [`the code ${sent} is not documented`]
}

const earlier = resolve({ $ref: '#/components/responses/Refused' })['x-error-codes'] as readonly unknown[]

const pathItem = (path: string): Node | undefined => {
  const exact = document.paths[path]
  if (exact) return exact
  const bare = path.replace(/\.[^/]*$/, '')
  const template = Object.keys(document.paths).find((one) => expressionOf(one).test(bare))
  return template === undefined ? undefined : document.paths[template]
}

const expressions = new Map<string, RegExp>()

const expressionOf = (template: string) =>
  expressions.getOrInsertComputed(
    template,
    () => new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  )

const header = (name: string): Node => ({ $ref: `#/components/headers/${name}` })
const headers = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, header(name)]))
const standard = [
  ...['X-Track', 'X-Content-Type-Options', 'Referrer-Policy', 'Content-Security-Policy'],
  ...['RateLimit', 'RateLimit-Policy', 'Deprecation', 'Sunset', 'Link'],
  ...['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'],
]

const options: Node = { headers: headers(...standard, 'Allow', 'Accept-Patch') }

const anyRefusal: Node = {
  headers: headers(...standard, 'Allow', 'Retry-After', 'Cache-Control', 'Content-Language', 'Vary'),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    'application/xml': { schema: { $ref: '#/components/schemas/Error' } },
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  },
}

/** Fields that belong to HTTP itself. */
const transport = /^(connection|content-length|content-type|date|keep-alive|transfer-encoding)$/

/** Further fields of a preflight response. */
const preflightFields = /^(vary|access-control-(allow-methods|allow-headers|max-age))$/

const wrongFields = (exchange: Exchange, { headers: promises = {} }: Node): readonly string[] => {
  const fields = Object.entries(promises as Readonly<Record<string, Node>>)
  const names = fields.map(([name]) => name.toLowerCase())
  const isDocumented = (name: string) =>
    names.includes(name) ||
    transport.test(name) ||
    (exchange.method === 'OPTIONS' && preflightFields.test(name))
  const unknown = Object.keys(exchange.headers).filter((name) => !isDocumented(name))
  return [
    ...unknown.map((name) => `the field ${name} is not documented`),
    ...fields.flatMap(([name, promise]) =>
      wrongField(name, exchange.headers[name.toLowerCase()], resolve(promise)),
    ),
  ]
}

const wrongField = (name: string, value: string | undefined, promise: Node): readonly string[] => {
  if (value === undefined) return promise.required ? [`the field ${name} is missing`] : []
  const schema = promise.schema as Node
  const wrong = misfits(schema.type === 'integer' ? Number(value) : value, schema)
  return wrong === undefined ? [] : [`the field ${name} is ${JSON.stringify(value)}: ${wrong}`]
}

const wrongBody = ({ method, headers, text }: Exchange, { content }: Node): readonly string[] => {
  const type = headers['content-type']
  if (text === '') {
    const mayBeEmpty =
      method === 'HEAD' || content === undefined || headers['preference-applied'] !== undefined
    return mayBeEmpty ? [] : ['the body is missing']
  }
  const media = (content as Readonly<Record<string, Node>> | undefined)?.[type ?? '']
  if (!media) return [`a body of type ${type} is not documented`]
  const schema = media.schema as Node
  const wrong = misfits(type === 'application/xml' ? valueOfXml(text, schema) : JSON.parse(text), schema)
  return wrong === undefined ? [] : [wrong]
}
