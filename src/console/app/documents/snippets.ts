import type { Endpoint, Operation } from './api.ts'

export interface EditedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export const parseRequest = (text: string): EditedRequest => {
  const [head = '', body] = text.split(/\n[ \t]*\n(.*)/s)
  const [line = '', ...fields] = head.split('\n')
  const [method = 'GET', path = '/'] = line.trim().split(/\s+/)
  const headers = fields.map((field) => field.split(/:(.*)/s).map((part) => part.trim()))
  return {
    method: method.toUpperCase(),
    path,
    headers: Object.fromEntries(headers.filter(([name]) => name).map(([name, value = '']) => [name, value])),
    body: body || undefined,
  }
}

export const curl = ({ method, path, headers, body }: EditedRequest, origin: string) =>
  [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`-d ${quoted(body)}`] : []),
  ].join(' \\\n  ')

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** True if `clientCall` finds the method for an operation. Only the page of an invitation needs the last two operations. */
export const isInClient = ({ operationId, tags: [tag = ''] }: Pick<Operation, 'operationId' | 'tags'>) =>
  !['Document', 'Imports', 'Caller', 'Saved views'].includes(tag) &&
  !['getInvited', 'acceptInvitation'].includes(operationId)

/** The collection of the client, and its method for an operation: `createTodo` is `todos.create`. */
export const clientCall = (operationId: string, tag: string) => {
  const verb = operationId.replace(new RegExp(`${tag.replace(/(?<=ch)es$|s$/, '')}(?:e?s)?`), '')
  return {
    collection: tag.toLowerCase(),
    method: renamedMethods[operationId] ?? renamedMethods[verb] ?? verb,
  }
}

const renamedMethods: Readonly<Record<string, string>> = {
  delete: 'remove',
  getHistory: 'history',
  inviteMembers: 'inviteAll',
  resendDelivery: 'resend',
}

/** The code that sends the request with the client. */
export const typescript = (
  { operation, parameters }: Endpoint,
  { path, body }: EditedRequest,
  origin: string,
) => {
  const { collection, method } = clientCall(operation.operationId, operation.tags[0] ?? '')
  const query = Object.fromEntries(new URLSearchParams(path.split('?')[1]))
  const isPaged = method === 'list' && ['page', 'size', 'sort'].some((name) => name in query)
  const id = path.split(/[/?]/)[4]?.replace(/[{}]/g, '')
  const filter =
    method === 'list' && Object.keys(query).length > 0 && queryLiteral(JSON.stringify(query, null, 2))
  const values = [
    parameters.some((one) => one.in === 'path') && `'${id}'`,
    body ? objectLiteral(body) : filter,
  ]
  const call = `${collection}.${isPaged ? 'page' : method}(${values.filter(Boolean).join(', ')})`
  return [
    "import { rollcall } from 'rollcall/client'",
    '',
    `const { ${collection} } = rollcall('${origin}')`,
    method === 'history'
      ? `for await (const { change, value } of ${call}) …`
      : `const answer = await ${call}`,
  ].join('\n')
}

const objectLiteral = (json: string) => json.replaceAll(/^( *)"(\w+)":/gm, '$1$2:')

/** The parameters of a query as an object literal, in which numbers and booleans have no quotes. */
const queryLiteral = (query: string) => objectLiteral(query).replaceAll(/: "(\d+|true|false)"/g, ': $1')
