/** A request as somebody fills it in. */
export interface Draft {
  readonly method: string
  /** Below the origin. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export const curl = ({ method, path, query, headers, body }: Draft, origin: string) => {
  const search = new URLSearchParams(query).toString()
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path + (search && `?${search}`))}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`-d ${quoted(body)}`] : []),
  ].join(' \\\n  ')
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Whether the client has a collection for the operations with this tag. */
export const hasCollection = (tag = '') => !['Document', 'Imports', 'Caller'].includes(tag)

/** The collection of the client, and its method for an operation: `createTodo` is `todos.create`. */
export const clientCall = (operationId: string, tag: string) => {
  const verb = operationId.replace(new RegExp(`${tag.replace(/(?<=ch)es$|s$/, '')}(?:e?s)?`), '')
  return { collection: tag.toLowerCase(), method: renamed[verb] ?? verb }
}

const renamed: Readonly<Record<string, string>> = { delete: 'remove', getHistory: 'history' }

interface Called extends ReturnType<typeof clientCall> {
  /** What the path names. */
  readonly id: string | undefined
  readonly query: Readonly<Record<string, string>>
  /** A body in JSON. */
  readonly body: string | undefined
}

export const typescript = ({ collection, method, id, query, body }: Called, origin: string) => {
  const filter =
    method === 'list' && Object.keys(query).length > 0 ? [typed(literal(JSON.stringify(query, null, 2)))] : []
  const isPaged = method === 'list' && ['page', 'size', 'sort'].some((name) => name in query)
  const values = [...(id === undefined ? [] : [`'${id}'`]), ...(body ? [literal(body)] : filter)]
  return [
    "import { rollcall } from 'rollcall/client'",
    '',
    `const { ${collection} } = rollcall('${origin}')`,
    method === 'history'
      ? `for await (const { change, value } of ${collection}.history(${values.join(', ')})) …`
      : `const answer = await ${collection}.${isPaged ? 'page' : method}(${values.join(', ')})`,
  ].join('\n')
}

/** JSON as somebody would write it in TypeScript. */
const literal = (json: string) => json.replaceAll(/^( *)"(\w+)":/gm, '$1$2:')

/** The numbers and booleans of a query are no texts. */
const typed = (query: string) => query.replaceAll(/: "(\d+|true|false)"/g, ': $1')
