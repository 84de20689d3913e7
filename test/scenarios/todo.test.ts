import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTodo } from './creating.ts'
import {
  body,
  expectAnswer,
  field,
  type Given,
  header,
  jsonBody,
  mergePatch,
  type Row,
  service,
  table,
  unknownId,
  uuid7,
} from './table.ts'

const app = service()
const freshTodo = async (): Promise<Given> => ({ todo: await createTodo(app()) })
const offsetTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/

test('a new todo is unfinished, has an id and a creation time, and Location is its address', async () => {
  const answer = await app()('POST /todos', { todoTitle: 'buy milk' })
  expectAnswer(answer, { status: 201, shows: { todoTitle: 'buy milk', finished: false } })
  assert.deepEqual(Object.keys(body(answer)).sort(), ['createdAt', 'finished', 'todoId', 'todoTitle'])
  assert.match(field(answer, 'todoId'), uuid7)
  assert.match(field(answer, 'createdAt'), offsetTime)
  assert.equal(header(answer, 'location'), `${app().url}/api/v1/todos/${field(answer, 'todoId')}`)
  const read = await app()(`GET /todos/${field(answer, 'todoId')}`)
  expectAnswer(read, { status: 200 })
  assert.deepEqual(read.body, answer.body)
})

const accepted: Row[] = [
  {
    name: 'a title of one character is accepted',
    request: 'POST /todos',
    body: { todoTitle: 'x' },
    status: 201,
  },
  {
    name: 'a title is counted in code points, not in UTF-16 code units',
    request: 'POST /todos',
    body: { todoTitle: '🐈'.repeat(30) },
    status: 201,
    shows: { todoTitle: '🐈'.repeat(30) },
  },
  {
    name: 'spaces around a title are kept',
    request: 'POST /todos',
    body: { todoTitle: '  spaced  ' },
    status: 201,
    shows: { todoTitle: '  spaced  ' },
  },
  {
    name: 'fields that only the service writes are accepted and ignored',
    request: 'POST /todos',
    body: {
      todoTitle: 'ignore the rest',
      todoId: unknownId,
      createdAt: '2001-01-01T00:00:00.000+00:00',
      finished: true,
      links: [{ rel: 'self', href: 'http://example.com/' }],
    },
    status: 201,
    shows: { todoTitle: 'ignore the rest', finished: false },
  },
]
table(app, accepted)

const notNull = {
  status: 400,
  code: '7001',
  message: 'Validation error occurred on item in the request body.',
  details: ['todoTitle NotNull'],
  says: ['"todoTitle" must not be null.'],
}
const size = {
  status: 400,
  code: '7001',
  details: ['todoTitle Size'],
  says: ['"todoTitle" size must be between 1 and 30.'],
}

const refused = [
  { name: 'an absent title', body: {}, ...notNull },
  { name: 'an empty title', body: { todoTitle: '' }, ...size },
  { name: 'a title of 31 code points', body: { todoTitle: '🐈'.repeat(31) }, ...size },
  {
    name: 'a control character that XML cannot carry',
    body: '{"todoTitle":"a\\u0001b"}',
    status: 400,
    code: '7001',
    details: ['todoTitle Pattern'],
  },
]
table(
  app,
  refused.map((row) => ({
    ...row,
    name: `POST of a todo refuses ${row.name}`,
    request: 'POST /todos',
    headers: jsonBody,
  })),
)

test('PUT finishes a todo and changes nothing else', async () => {
  const { todo } = await freshTodo()
  const open = body(await app()(`GET /todos/${todo}`))
  const finished = await app()(`PUT /todos/${todo}`)
  expectAnswer(finished, { status: 200 })
  assert.deepEqual(finished.body, { ...open, finished: true })
  assert.deepEqual((await app()(`GET /todos/${todo}`)).body, finished.body)
})

test('PUT on a finished todo answers 200 and leaves it unchanged', async () => {
  const { todo } = await freshTodo()
  const first = await app()(`PUT /todos/${todo}`)
  const second = await app()(`PUT /todos/${todo}`)
  expectAnswer(second, { status: 200 })
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers.etag, first.headers.etag)
})

test('PATCH can finish a todo, and reopen it', async () => {
  const { todo } = await freshTodo()
  const finished = await app()(`PATCH /todos/${todo}`, { finished: true }, mergePatch)
  expectAnswer(finished, { status: 200, shows: { todoTitle: 'write tests', finished: true } })
  const answer = await app()(`PATCH /todos/${todo}`, { finished: false }, mergePatch)
  expectAnswer(answer, { status: 200, shows: { finished: false, todoId: todo } })
  expectAnswer(await app()(`GET /todos/${todo}`), { status: 200, shows: { finished: false } })
})

test('exactly one of many concurrent deletions of one todo succeeds', async () => {
  const { todo } = await freshTodo()
  const answers = await Promise.all(Array.from({ length: 8 }, () => app()(`DELETE /todos/${todo}`)))
  assert.equal(answers.filter((answer) => answer.status === 204).length, 1)
  for (const answer of answers) assert.ok([204, 404, 409].includes(answer.status), answer.text)
})

test('PUT finishes a todo whatever the body of the request, however long', async () => {
  for (const sent of ['{', 'x'.repeat(3_000_000)]) {
    const { body } = await app()('POST /todos', { todoTitle: 'finish me' })
    const { todoId } = body as { todoId: string }
    const answer = await app()(`PUT /todos/${todoId}`, sent, { 'content-type': 'text/plain' })
    expectAnswer(answer, { status: 200, shows: { finished: true } })
  }
})
