import type { Routes } from '#http/api/routes.ts'
import type { KeyShapes } from './schema.ts'
import type { KeyService } from './service.ts'
import { keySortable } from './store.ts'

export const keyRoutes = (http: Routes, keys: KeyService, { Key, MadeKey, NewKey }: KeyShapes) => {
  const shows = { full: Key }

  http.list(
    '/keys',
    {
      operation: 'keys:read',
      summary: 'List keys',
      shows,
      filter: {},
      sortable: keySortable,
      names: 'keyId',
    },
    keys,
  )
  http.post(
    '/keys',
    {
      operation: 'keys:create',
      summary: 'Create a key',
      shows: { full: MadeKey },
      body: NewKey,
      names: 'keyId',
      isSecret: true,
    },
    ({ body, ...asked }) => keys.create(body, asked),
  )
  http.get('/keys/:keyId', { operation: 'keys:read', summary: 'Get a key', shows }, ({ params }) =>
    keys.find(params.keyId),
  )
  http.delete('/keys/:keyId', { operation: 'keys:delete', summary: 'Delete a key' }, ({ params, ...asked }) =>
    keys.remove(params.keyId, asked),
  )
}
