import type { Dialect } from '../../dialect.ts'
import type { RequestSpec } from '../../load.ts'

const collection = '/api/v1/todos'
const records = '/api/collections/todos/records'
/** A list ends after so many. */
const maxPerPage = 1_000

/** Its API for records, as its documentation shows it: a list is a page, and a todo is finished by an update. */
export const pocketbase: Dialect = {
  request: ({ method, path, headers, body }): RequestSpec => {
    const theirs = path.replace(collection, records)
    if (method === 'PUT')
      return {
        method: 'PATCH',
        path: theirs,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: '{"finished":true}',
      }
    const isList = method === 'GET' && path === collection
    const query = isList ? `?perPage=${maxPerPage}&skipTotal=1` : ''
    return { method, path: `${theirs}${query}`, ...(headers && { headers }), ...(body && { body }) }
  },
  body: (body) => {
    if (body === '') return body
    const answer = JSON.parse(body)
    return JSON.stringify(Array.isArray(answer.items) ? answer.items.map(todo) : todo(answer))
  },
}

const todo = ({ id, ...rest }: Record<string, unknown>) => ({ todoId: id, ...rest })
