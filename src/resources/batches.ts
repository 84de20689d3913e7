import type { Routes } from '#http/api/routes.ts'
import type { ResourceDocument } from '#http/openapi/resource-document.ts'

/** Adds the route for many changes in one request. */
export const batchRoute = (http: Routes) =>
  http.batch('/batch', { operation: 'batch:create', summary: 'Make many changes' })

const todoPath = '/api/v1/todos/019e6a3c-6c00-7000-8000-000000000001'
const todo = {
  todoId: '019e6a3c-6c00-7000-8000-000000000001',
  todoTitle: 'Buy milk',
  finished: true,
  createdAt: '2026-11-21T06:45:00.123+00:00',
}

export const batchesDocument: ResourceDocument = {
  tag: 'Batches',
  description: 'Many changes in one request.',
  fields: {},
  operations: {
    'POST /batch': {
      id: 'createBatch',
      description:
        'Makes up to a hundred changes, in order. Each operation is checked like a single request, and counts as a request for the rate limit. All changes are committed together. With `atomic`, one refused operation undoes all (422); without it, the other operations take effect. Reads, tokens, new keys and changes of a credential cannot be operations. The answers come in the order of the operations.',
      request: {
        atomic: true,
        operations: [
          { method: 'PUT', path: todoPath, headers: { 'If-Match': '"1-j.Zk4pQ"' } },
          { method: 'DELETE', path: '/api/v1/todos/019e6a3c-6c00-7000-8000-000000000002' },
        ],
      },
      answer: {
        responses: [
          { status: 200, headers: { ETag: '"2-j.Zk4pQ"' }, body: todo },
          { status: 204, headers: {}, body: null },
        ],
      },
    },
  },
}
