import { readFileSync } from 'node:fs'

/** The cells of one row of the table, by kind of caller. */
export interface DocumentRow {
  readonly operation: string
  readonly open: string
  readonly administrator: string
  readonly member: string
  readonly scopes: readonly string[]
  readonly anonymous: string
}

/** The table of decision 0007. */
export const documentRows = (): readonly DocumentRow[] => {
  const text = readFileSync(new URL('../../docs/decisions/0007-authorization.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((line) => {
    const [operation = '', open = '', administrator = '', member = '', scopes = '', anonymous = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    const named = [...scopes.matchAll(/`([^`]+)`/g)].map(([, scope = '']) => scope)
    return { operation, open, administrator, member, scopes: named, anonymous }
  })
}

/** The operations of the policy that each row of the documented table stands for. */
export const operationsOf: Readonly<Record<string, readonly string[]>> = {
  'Todo read / create / finish, patch / delete': [
    'todos:read',
    'todos:create',
    'todos:update',
    'todos:delete',
  ],
  'Todo history': ['todos:history'],
  Changes: ['changes:read'],
  'Member list': ['members:list'],
  'Member create': ['members:create'],
  'Member read': ['members:read'],
  'Member history': ['members:history'],
  'Member update, patch, delete, credential': ['members:update', 'members:delete', 'members:credential'],
  'Member erasure': ['members:erase'],
  'Todo restoring': ['todos:restore'],
  'Member restoring': ['members:restore'],
  "Member's role": ['members:role'],
  'Member invitations': ['members:invite'],
  'Choosing a password, by an invitation alone': ['members:invited'],
  Keys: ['keys:read', 'keys:create', 'keys:update', 'keys:delete'],
  'Batch, each operation also by its own row': ['batch:create'],
  Webhooks: ['webhooks:read', 'webhooks:create', 'webhooks:update', 'webhooks:delete'],
  'Todo import': ['todos:import'],
  'Member import': ['members:import'],
  'Imports, each by the resource of its rows': ['imports:read', 'imports:change'],
  'Caller, and its saved views': ['me:read', 'me:update'],
  Tokens: ['tokens:create', 'tokens:delete'],
}

/** One request of an operation. `:id` stands for its member or todo. */
export interface Attempt {
  readonly operation: string
  readonly line: string
  readonly body?: unknown
  /** The status if the request is permitted. */
  readonly done: number
}

const profile = {
  firstName: 'John',
  lastName: 'Smith',
  genderCode: '1',
  dateOfBirth: '1983-01-17',
  emailAddress: 'john@example.com',
}
const newcomer = { ...profile, credential: { signId: ':new', password: 'swordfish' } }
const credential = { password: 'swordfish', currentPassword: 'swordfish' }
const key = { name: 'report', scopes: ['todos:read'] }
const todo = { todoTitle: 'one' }
const batch = { atomic: false, operations: [{ method: 'POST', path: '/api/v1/todos', body: todo }] }
/** A name that no DNS resolves (RFC 6761). */
export const receiver = { url: 'https://receiver.invalid/', active: false }

const unknownId = '019e6a3c-6c00-7000-8000-000000000009'

/** Every operation of the service, ordered so that each one finds the records it needs. */
export const attempts: readonly Attempt[] = [
  { operation: 'todos:read', line: 'GET /todos', done: 200 },
  { operation: 'todos:read', line: 'GET /todos/:id', done: 200 },
  { operation: 'todos:create', line: 'POST /todos', body: todo, done: 201 },
  { operation: 'todos:update', line: 'PUT /todos/:id', done: 200 },
  { operation: 'todos:update', line: 'PATCH /todos/:id', body: { finished: false }, done: 200 },
  { operation: 'todos:history', line: 'GET /todos/:id/history', done: 200 },
  { operation: 'todos:restore', line: 'POST /todos/:id/restore', done: 409 },
  { operation: 'todos:delete', line: 'DELETE /todos/:id', done: 204 },
  { operation: 'changes:read', line: 'GET /changes', done: 200 },
  { operation: 'members:list', line: 'GET /members', done: 200 },
  { operation: 'members:list', line: 'GET /members?page=0', done: 200 },
  { operation: 'members:list', line: 'GET /members?cursor=&view=full', done: 200 },
  { operation: 'members:create', line: 'POST /members', body: newcomer, done: 201 },
  { operation: 'members:read', line: 'GET /members/:id', done: 200 },
  { operation: 'members:read', line: 'GET /members/:id?view=detailed', done: 200 },
  { operation: 'members:history', line: 'GET /members/:id/history', done: 200 },
  { operation: 'members:update', line: 'PUT /members/:id', body: profile, done: 200 },
  { operation: 'members:update', line: 'PATCH /members/:id', body: { lastName: 'Jones' }, done: 200 },
  { operation: 'members:credential', line: 'PUT /members/:id/credential', body: credential, done: 200 },
  { operation: 'members:credential', line: 'PATCH /members/:id/credential', body: credential, done: 200 },
  { operation: 'members:restore', line: 'POST /members/:id/restore', done: 409 },
  { operation: 'members:role', line: 'GET /members/:id/role', done: 200 },
  { operation: 'members:role', line: 'PUT /members/:id/role', body: { role: 'member' }, done: 200 },
  { operation: 'members:invite', line: 'POST /members/:id/invitation', done: 201 },
  { operation: 'members:invite', line: 'POST /members/invitations', body: { ids: [unknownId] }, done: 201 },
  { operation: 'members:invited', line: 'GET /members/:id/invitation', done: 403 },
  {
    ...{ operation: 'members:invited', line: 'PUT /members/:id/invitation' },
    ...{ body: { password: 'swordfish' }, done: 403 },
  },
  { operation: 'keys:read', line: 'GET /keys', done: 200 },
  { operation: 'keys:read', line: 'GET /keys/:id', done: 200 },
  { operation: 'keys:create', line: 'POST /keys', body: key, done: 201 },
  { operation: 'keys:update', line: 'PUT /keys/:id', body: key, done: 200 },
  { operation: 'keys:update', line: 'PATCH /keys/:id', body: { name: 'other' }, done: 200 },
  { operation: 'keys:update', line: 'POST /keys/:id/secret', done: 201 },
  { operation: 'keys:delete', line: 'DELETE /keys/:id', done: 204 },
  { operation: 'batch:create', line: 'POST /batch', body: batch, done: 200 },
  { operation: 'webhooks:read', line: 'GET /webhooks', done: 200 },
  { operation: 'webhooks:read', line: 'GET /webhooks/:id', done: 200 },
  { operation: 'webhooks:read', line: 'GET /webhooks/:id/deliveries', done: 200 },
  { operation: 'webhooks:create', line: 'POST /webhooks', body: receiver, done: 201 },
  { operation: 'webhooks:update', line: 'PUT /webhooks/:id', body: receiver, done: 200 },
  { operation: 'webhooks:update', line: 'PATCH /webhooks/:id', body: { description: 'index' }, done: 200 },
  { operation: 'webhooks:update', line: 'POST /webhooks/:id/secret', done: 201 },
  { operation: 'webhooks:update', line: 'POST /webhooks/:id/test', done: 201 },
  { operation: 'webhooks:update', line: 'PUT /webhooks/:id/position', body: { after: 'latest' }, done: 200 },
  { operation: 'webhooks:delete', line: 'DELETE /webhooks/:id', done: 204 },
  { operation: 'todos:import', line: 'POST /todos/imports', body: [todo], done: 201 },
  { operation: 'members:import', line: 'POST /members/imports', body: [profile], done: 201 },
  { operation: 'imports:read', line: 'GET /imports', done: 200 },
  { operation: 'imports:change', line: `POST /imports/${unknownId}/stop`, done: 404 },
  { operation: 'me:read', line: 'GET /me', done: 200 },
  { operation: 'me:read', line: 'GET /me/views', done: 200 },
  { operation: 'me:update', line: `DELETE /me/views/${unknownId}`, done: 404 },
  { operation: 'tokens:create', line: 'POST /tokens', done: 201 },
  { operation: 'tokens:delete', line: 'DELETE /tokens', done: 204 },
  { operation: 'members:erase', line: 'DELETE /members/:id?erase=true', done: 204 },
  { operation: 'members:delete', line: 'DELETE /members/:id', done: 204 },
]
