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

/** One request of an operation. `:id` stands for the member or todo that it is about. */
export interface Attempt {
  readonly row: string
  /** The row of the policy. */
  readonly operation: string
  readonly line: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Its status if it is permitted. */
  readonly done: number
}

const patch = { 'content-type': 'application/merge-patch+json' }
const profile = {
  firstName: 'John',
  lastName: 'Smith',
  genderCode: '1',
  dateOfBirth: '1983-01-17',
  emailAddress: 'john@example.com',
}
/** A name that DNS knows nowhere (RFC 6761). */
export const receiver = { url: 'https://receiver.invalid/', active: false }
const todos = 'Todo read / create / finish, patch / delete'
const changes = 'Member update, patch, delete, credential'

/** Every operation of the service, in an order in which each finds what it needs. */
export const attempts: readonly Attempt[] = [
  { row: todos, operation: 'todos:read', line: 'GET /todos', done: 200 },
  { row: todos, operation: 'todos:read', line: 'GET /todos/:id', done: 200 },
  { row: todos, operation: 'todos:create', line: 'POST /todos', body: { todoTitle: 'one' }, done: 201 },
  { row: todos, operation: 'todos:update', line: 'PUT /todos/:id', done: 200 },
  {
    row: todos,
    operation: 'todos:update',
    line: 'PATCH /todos/:id',
    body: { finished: false },
    headers: patch,
    done: 200,
  },
  { row: 'Todo history', operation: 'todos:history', line: 'GET /todos/:id/history', done: 200 },
  { row: todos, operation: 'todos:delete', line: 'DELETE /todos/:id', done: 204 },
  { row: 'Changes', operation: 'changes:read', line: 'GET /changes', done: 200 },
  { row: 'Member list', operation: 'members:list', line: 'GET /members', done: 200 },
  { row: 'Member list', operation: 'members:list', line: 'GET /members?page=0', done: 200 },
  { row: 'Member list', operation: 'members:list', line: 'GET /members?cursor=&view=full', done: 200 },
  {
    row: 'Member create',
    operation: 'members:create',
    line: 'POST /members',
    body: { ...profile, credential: { signId: ':new', password: 'swordfish' } },
    done: 201,
  },
  { row: 'Member read', operation: 'members:read', line: 'GET /members/:id', done: 200 },
  { row: 'Member read', operation: 'members:read', line: 'GET /members/:id?view=detailed', done: 200 },
  { row: 'Member history', operation: 'members:history', line: 'GET /members/:id/history', done: 200 },
  { row: changes, operation: 'members:update', line: 'PUT /members/:id', body: profile, done: 200 },
  {
    row: changes,
    operation: 'members:update',
    line: 'PATCH /members/:id',
    body: { lastName: 'Jones' },
    headers: patch,
    done: 200,
  },
  {
    row: changes,
    operation: 'members:credential',
    line: 'PUT /members/:id/credential',
    body: { password: 'swordfish', currentPassword: 'swordfish' },
    done: 200,
  },
  { row: "Member's role", operation: 'members:role', line: 'GET /members/:id/role', done: 200 },
  {
    row: "Member's role",
    operation: 'members:role',
    line: 'PUT /members/:id/role',
    body: { role: 'member' },
    done: 200,
  },
  { row: 'Keys', operation: 'keys:read', line: 'GET /keys', done: 200 },
  { row: 'Keys', operation: 'keys:read', line: 'GET /keys/:id', done: 200 },
  {
    row: 'Keys',
    operation: 'keys:create',
    line: 'POST /keys',
    body: { name: 'report', scopes: ['todos:read'] },
    done: 201,
  },
  { row: 'Keys', operation: 'keys:delete', line: 'DELETE /keys/:id', done: 204 },
  {
    row: 'Batch, each operation also by its own row',
    operation: 'batch:create',
    line: 'POST /batch',
    body: {
      atomic: false,
      operations: [{ method: 'POST', path: '/api/v1/todos', body: { todoTitle: 'one' } }],
    },
    done: 200,
  },
  { row: 'Webhooks', operation: 'webhooks:read', line: 'GET /webhooks', done: 200 },
  { row: 'Webhooks', operation: 'webhooks:read', line: 'GET /webhooks/:id', done: 200 },
  { row: 'Webhooks', operation: 'webhooks:read', line: 'GET /webhooks/:id/deliveries', done: 200 },
  { row: 'Webhooks', operation: 'webhooks:create', line: 'POST /webhooks', body: receiver, done: 201 },
  { row: 'Webhooks', operation: 'webhooks:update', line: 'PUT /webhooks/:id', body: receiver, done: 200 },
  {
    row: 'Webhooks',
    operation: 'webhooks:update',
    line: 'PATCH /webhooks/:id',
    body: { description: 'index' },
    headers: patch,
    done: 200,
  },
  { row: 'Webhooks', operation: 'webhooks:update', line: 'POST /webhooks/:id/secret', done: 201 },
  { row: 'Webhooks', operation: 'webhooks:update', line: 'POST /webhooks/:id/test', done: 201 },
  {
    row: 'Webhooks',
    operation: 'webhooks:update',
    line: 'PUT /webhooks/:id/position',
    body: { after: 'latest' },
    done: 200,
  },
  { row: 'Webhooks', operation: 'webhooks:delete', line: 'DELETE /webhooks/:id', done: 204 },
  { row: 'Tokens', operation: 'tokens:create', line: 'POST /tokens', done: 201 },
  { row: 'Tokens', operation: 'tokens:delete', line: 'DELETE /tokens', done: 204 },
  { row: 'Member erasure', operation: 'members:erase', line: 'DELETE /members/:id?erase=true', done: 204 },
  { row: changes, operation: 'members:delete', line: 'DELETE /members/:id', done: 204 },
]
