import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { basic, enrol, startBasic } from '../access/callers.ts'
import { databases } from '../engines.ts'
import { type Api, rawExchange, startApp } from '../harness.ts'
import { john } from '../people.ts'
import { type Body, body, jsonBody, type Row, rows, service, shortCode, table } from './table.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body | null
}

type Headers = Readonly<Record<string, string>>

/** `POST /todos`, as an operation. */
const operation = (line: string, sent?: unknown, headers?: Headers): Operation => {
  const [method = '', path = ''] = line.split(' ')
  return {
    method,
    path: `/api/v1${path}`,
    ...(sent !== undefined && { body: sent }),
    ...(headers && { headers }),
  }
}

const strict = { Prefer: 'handling=strict' }
const add = (todoTitle: string, headers?: Headers) => operation('POST /todos', { todoTitle }, headers)

const person = (number: number) => ({
  ...john,
  credential: { signId: `person ${number}`, password: 'swordfish' },
})

const send = (api: Api, operations: readonly unknown[], { atomic = false, headers = {} as Headers } = {}) =>
  api('POST /batch', { atomic, operations }, headers)

const responsesOf = (answer: { body: unknown }) =>
  (answer.body as { readonly responses: readonly Response[] }).responses

const titles = async (api: Api) => rows(await api('GET /todos')).map(({ todoTitle }) => todoTitle)

const started = async (t: TestContext, url: (t: TestContext) => Promise<string>, settings = {}) =>
  startApp(t, { DATABASE_URL: await url(t), ...settings })

/** Refused operations, with their status and code, which are the same alone and in a batch. */
const refusals: readonly (readonly [name: string, refused: Operation, status: number, code: string])[] = [
  ['an invalid body', add(''), 400, '7001'],
  ['an unknown field', operation('POST /todos', { title: 'a' }), 400, '7003'],
  ['no body', operation('POST /todos'), 400, '7003'],
  ['an unknown item', operation('DELETE /todos/x'), 404, '5001'],
  ['an unknown path', operation('POST /cars', {}), 404, '5001'],
  ['a path without the prefix', { method: 'POST', path: '/todos' }, 400, '7001'],
  ['a path that no request line may contain', operation('DELETE /todos/é'), 400, '6000'],
  ['another version', operation('PUT /todos/{todo}', undefined, { 'if-match': '"9-j.aaaaa"' }), 412, '8003'],
  ['a method that is not allowed', operation('PUT /todos', {}), 405, '6001'],
  ['an unknown representation', operation('DELETE /todos/{todo}.pdf'), 406, '6002'],
  ['a sign id in use', operation('POST /members', john), 409, 'e.xx.yy.8001'],
  [
    'an unknown parameter with handling=strict',
    operation('POST /todos?x=1', { todoTitle: 'a' }, strict),
    400,
    '7002',
  ],
  [
    'a header field that only the batch may have',
    operation('PUT /todos/{todo}', undefined, { Authorization: 'x' }),
    400,
    '7003',
  ],
  ['a malformed key', add('a', { 'Idempotency-Key': ' ' }), 400, '7002'],
  ['a token', operation('POST /tokens'), 400, '7001'],
  ['a key', operation('POST /keys', { name: 'a', scopes: ['todos:read'] }), 400, '7001'],
  ['a credential', operation('PUT /members/x/credential', { password: 'swordfish' }), 400, '7001'],
  ['a batch', operation('POST /batch', { atomic: true, operations: [] }), 400, '7001'],
]

for (const { name, url, skip } of databases) {
  test(`${name}: a refused operation undoes the others only if the batch is atomic`, {
    skip,
  }, async (t) => {
    const api = await started(t, url)
    await api('POST /members', john)
    const { todoId } = body(await api('POST /todos', { todoTitle: 'kept' }))
    for (const [name, refused, status, code] of refusals) {
      const made = { ...refused, path: refused.path.replace('{todo}', String(todoId)) }
      const all = [add('before'), made, add('after')]
      const answer = await send(api, all)
      const responses = responsesOf(answer)
      assert.deepEqual(
        responses.map(({ status }) => status),
        [201, status, 201],
        name,
      )
      assert.equal(responses[1]?.body?.code, shortCode(code), name)
      const atomic = await send(api, all, { atomic: true })
      const { code: undone, details } = body(atomic) as { code: string; details: readonly Body[] }
      assert.deepEqual([atomic.status, undone], [422, shortCode('8007')], name)
      assert.deepEqual([details[0]?.target, details[0]?.code], ['operations.1', shortCode(code)], name)
      assert.deepEqual(await titles(api), ['kept', 'before', 'after'], name)
      for (const { headers } of [responses[0], responses[2]].filter((one) => one !== undefined))
        await api(`DELETE ${new URL(headers.Location ?? '').pathname.replace('/api/v1', '')}`)
    }
  })

  test(`${name}: an operation sees the changes of earlier operations, and its answer is that of a single request`, {
    skip,
  }, async (t) => {
    const api = await started(t, url)
    const { todoId } = body(await api('POST /todos', { todoTitle: 'a' }))
    const tag = (await api(`GET /todos/${todoId}`)).headers.etag ?? ''
    const path = `/todos/${todoId}`
    const answer = await send(
      api,
      [
        operation(`PATCH ${path}`, { todoTitle: 'b' }, { 'If-Match': tag }),
        operation(`PATCH ${path}`, { finished: true }),
        operation(`PUT ${path}`, undefined, { 'If-Match': tag }),
        operation(`PUT ${path}`, undefined, { prefer: 'return=minimal' }),
        operation(`DELETE ${path}`),
        operation(`DELETE ${path}`),
        add('c'),
      ],
      { headers: { 'Accept-Language': 'ja' } },
    )
    const responses = responsesOf(answer)
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 412, 204, 204, 404, 201],
    )
    assert.deepEqual(
      responses.map(({ body }) => body?.todoTitle),
      ['b', 'b', undefined, undefined, undefined, undefined, 'c'],
    )
    assert.equal(responses[3]?.headers['Preference-Applied'], 'return=minimal')
    assert.equal(responses[5]?.body?.message, 'リソースが見つかりません。')
    const { ETag = '', Location = '' } = responses[6]?.headers ?? {}
    const read = await api(`GET ${new URL(Location).pathname.replace('/api/v1', '')}`, undefined, {
      'If-None-Match': ETag,
    })
    assert.equal(read.status, 304)
  })

  test(`${name}: simultaneous patches of one item, in batches and alone, all take effect`, {
    skip,
  }, async (t) => {
    const api = await started(t, url)
    const { memberId } = body(await api('POST /members', john))
    const patch = (change: object) => operation(`PATCH /members/${memberId}`, change)
    const type = { 'Content-Type': 'application/merge-patch+json' }
    const answers = await Promise.all([
      send(api, [add('a'), patch({ firstName: 'A' }), patch({ lastName: 'B' })], { atomic: true }),
      api(`PATCH /members/${memberId}`, JSON.stringify({ zipCode: '1' }), type),
      send(api, [add('b'), patch({ address: 'C' }), patch({ telephoneNumber: '2' })], { atomic: true }),
      api(`PATCH /members/${memberId}`, JSON.stringify({ genderCode: '0' }), type),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    const { firstName, lastName, zipCode, address, telephoneNumber, genderCode } = body(
      await api(`GET /members/${memberId}`),
    )
    assert.deepEqual(
      [firstName, lastName, zipCode, address, telephoneNumber, genderCode],
      ['A', 'B', '1', 'C', '2', '0'],
    )
  })

  test(`${name}: a stored answer about several members is deleted when one of them is erased`, {
    skip,
  }, async (t) => {
    const api = await started(t, url)
    const people = [1, 2].map((at) => operation('POST /members', person(at)))
    const others = [3, 4].map((at) => operation('POST /members', person(at)))
    const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })
    const responses = responsesOf(await send(api, people, keyed('1')))
    await send(api, others, keyed('2'))
    await api(`DELETE /members/${responses[0]?.body?.memberId}?erase=true`)
    const again = responsesOf(await send(api, people, keyed('1')))
    assert.deepEqual(
      again.map(({ status }) => status),
      [201, 409],
    )
    assert.equal((await send(api, others, keyed('2'))).headers['idempotent-replayed'], 'true')
  })

  // The rest says nothing of the engine.
  if (name !== 'SQLite') continue

  test(`${name}: the changes of a batch are one transaction with one track, and Change-Cursor is after the last change`, {
    skip,
  }, async (t) => {
    const api = await started(t, url)
    const { headers } = await send(api, [add('a'), add(''), add('b'), add('')], {
      headers: { 'X-Track': 'one' },
    })
    const seen = body(await api('GET /changes?size=1'))
    const changes = seen.content as readonly { data: { track: string } }[]
    assert.deepEqual(
      changes.map(({ data }) => data.track),
      ['one', 'one'],
    )
    assert.equal(seen.more, false)
    await api('POST /todos', { todoTitle: 'c' })
    const after = body(await api(`GET /changes?after=${headers['change-cursor']}`))
    assert.equal((after.content as readonly unknown[]).length, 1)
  })

  test(`${name}: the idempotency key of a batch replays its whole answer, and the key of an operation works as in a single request`, {
    skip,
  }, async (t) => {
    const api = await started(t, url)
    const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })
    const all = [add('a'), add('')]
    const first = await send(api, all, keyed('1'))
    const again = await send(api, all, keyed('1'))
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    assert.equal((await send(api, [add('b')], keyed('1'))).status, 422)
    const refused = await send(api, all, { ...keyed('2'), atomic: true })
    assert.equal(refused.status, 422)
    assert.equal((await send(api, [add('b')], { ...keyed('2'), atomic: true })).status, 200)
    const own = (key: string, title = 'c') => add(title, { 'Idempotency-Key': key })
    const twice = responsesOf(await send(api, [own('3'), own('3'), own('3', 'd'), own('4')]))
    assert.deepEqual(
      twice.map(({ status }) => status),
      [201, 201, 422, 201],
    )
    assert.deepEqual(
      twice.map(({ headers }) => headers['Idempotent-Replayed']),
      [undefined, 'true', undefined, undefined],
    )
    const alone = await api('POST /todos', '{"todoTitle":"c"}', {
      'Content-Type': 'application/json',
      'Idempotency-Key': '4',
    })
    assert.equal(alone.headers['idempotent-replayed'], 'true')
    const undone = await send(api, [own('5'), add('')], { atomic: true })
    assert.equal(undone.status, 422)
    assert.equal(responsesOf(await send(api, [own('5')]))[0]?.headers['Idempotent-Replayed'], undefined)
    assert.deepEqual(await titles(api), ['a', 'b', 'c', 'c', 'c'])
  })

  test(`${name}: a batch creates members with passwords, and they can sign in`, { skip }, async (t) => {
    const api = await started(t, url, {
      ACCESS: 'basic',
      ADMIN_SIGN_ID: 'root',
      ADMIN_PASSWORD: 'rootrootroot',
    })
    const people = Array.from({ length: 12 }, (_, at) => operation('POST /members', person(at % 11)))
    const responses = responsesOf(await send(api, people, { headers: basic('root', 'rootrootroot') }))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [...Array(11).fill(201), 409],
    )
    assert.equal((await api('GET /members/me', undefined, basic('person 3', 'swordfish'))).status, 200)
  })

  test(`${name}: a batch that changes and erases a member leaves no trace`, { skip }, async (t) => {
    const api = await started(t, url)
    const [made] = responsesOf(await send(api, [operation('POST /members', person(1))]))
    const at = `/members/${made?.body?.memberId}`
    const change = operation(`PUT ${at}`, { ...person(1), address: 'Nowhere', credential: undefined })
    const done = responsesOf(await send(api, [change, operation(`DELETE ${at}?erase=true`)]))
    assert.deepEqual(
      done.map(({ status }) => status),
      [200, 204],
    )
    const { body } = await api(`GET ${at}/history`)
    const { content } = body as { readonly content: readonly { readonly value: unknown }[] }
    assert.deepEqual(
      content.map(({ value }) => value),
      [null, null, null],
    )
  })
}

const app = service()
const batchOf = (...operations: readonly unknown[]) => ({ atomic: true, operations })
const malformed = (what: string, sent: unknown, code: string, details?: readonly string[]): Row => ({
  name: `a batch with ${what} is refused`,
  request: 'POST /batch',
  body: sent,
  headers: jsonBody,
  status: 400,
  code,
  ...(details && { details }),
})
table(app, [
  malformed('no atomic', { operations: [add('a')] }, '7001', ['atomic NotNull']),
  malformed('no operation', batchOf(), '7001', ['operations Size']),
  malformed('too many operations', batchOf(...Array(101).fill(add('a'))), '7001', ['operations Size']),
  malformed('a read', batchOf(operation('GET /todos')), '7001', ['operations.0.method Pattern']),
  malformed('a whole address', batchOf({ method: 'POST', path: 'http://x/api/v1/todos' }), '7001', [
    'operations.0.path Pattern',
  ]),
  malformed('no path', batchOf({ method: 'POST' }), '7001', ['operations.0.path NotNull']),
  malformed('an unknown field', batchOf({ ...add('a'), id: 1 }), '7003', ['operations.0.id UnknownField']),
  malformed('a header field with a line break', batchOf(add('a', { Prefer: 'a\nb' })), '7001', [
    'operations.0.headers.Prefer Pattern',
  ]),
  malformed('a header field that is no text', batchOf({ ...add('a'), headers: { Prefer: 1 } }), '7003', [
    'operations.0.headers.Prefer WrongType',
  ]),
  malformed('no JSON', '<batch/>', '7003'),
  malformed(
    'more values than bodies hold',
    batchOf(operation('POST /todos', { a: Array(20_000).fill(1) })),
    '7003',
  ),
])

test('a malformed batch is refused before anything is changed', async (t) => {
  const api = await startApp(t)
  await api('POST /batch', batchOf(add('a'), operation('GET /todos')))
  const one = batchOf(add('a'))
  for (const [headers, status] of [
    [{ 'Content-Type': 'application/xml' }, 415],
    [{ Accept: 'application/xml' }, 406],
    [{ Accept: 'application/xml, application/json;q=0.1' }, 200],
    [strict, 200],
    [{ 'Idempotency-Key': ' ' }, 400],
    [{ 'If-Match': '*' }, 200],
    [{ 'If-None-Match': '*' }, 412],
  ] as const)
    assert.equal((await api('POST /batch', one, headers)).status, status, JSON.stringify(headers))
  assert.equal((await api('POST /batch.xml', one)).status, 406)
  assert.equal((await api('POST /batch?x=1', one, strict)).status, 400)
  assert.equal((await api('GET /batch')).status, 405)
  assert.equal((await titles(api)).length, 3)
})

test('a caller has the same rights in a batch as in single requests', async (t) => {
  const api = await startBasic(t)
  const [mary, paul] = [await enrol(api, 'mary'), await enrol(api, 'paul')]
  const patch = (id: string) => operation(`PATCH /members/${id}`, { address: 'Kyoto' })
  const mine = [
    patch('me'),
    patch(mary.memberId),
    patch(paul.memberId),
    operation('POST /members', person(1)),
  ]
  const responses = responsesOf(await send(api, mine, { headers: mary.headers }))
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 403, 403],
  )
  assert.equal((await send(api, mine)).status, 401)
})

test('each operation counts towards the rate limit', async (t) => {
  const api = await startApp(t, { RATE_LIMIT: '5/600s' })
  const answer = await send(
    api,
    ['a', 'b', 'c'].map((one) => add(one)),
  )
  assert.match(answer.headers.ratelimit ?? '', /^"default";r=2;/)
  const atomic = await send(
    api,
    ['d', 'e', 'f'].map((one) => add(one)),
    { atomic: true },
  )
  assert.deepEqual([atomic.status, body(atomic).code], [429, 'e.xx.fw.9005'])
  assert.ok(atomic.headers['retry-after'])
})

test('only the operations beyond the rate limit are refused', async (t) => {
  const api = await startApp(t, { RATE_LIMIT: '2/600s' })
  const responses = responsesOf(
    await send(
      api,
      ['a', 'b', 'c'].map((one) => add(one)),
    ),
  )
  assert.deepEqual(
    responses.map(({ status }) => status),
    [201, 201, 429],
  )
  assert.ok(responses[2]?.headers['Retry-After'])
})

test('a path in a batch is checked like the path of a request', async (t) => {
  const api = await startApp(t)
  const made = async () => `/todos/${body(await api('POST /todos', { todoTitle: 'a' })).todoId}`
  const todo = await made()
  for (const [line, sent, status] of [
    ['PUT /todos/x y', undefined, 400],
    ['PUT /todos/é', undefined, 400],
    ['PUT /todos/x|y', undefined, 404],
    ['PUT /todos/x.xml', undefined, 404],
    ['PUT /todos/x.pdf', undefined, 406],
    [`PUT ${todo}.xml`, undefined, 200],
    [`PUT ${todo}.json`, undefined, 200],
    ['POST /todos.xml', { todoTitle: '' }, 400],
  ] as const) {
    const [method = '', ...rest] = line.split(' ')
    const path = `/api/v1${rest.join(' ')}`
    const [response] = responsesOf(await send(api, [{ method, path, ...(sent && { body: sent }) }]))
    const content = sent ? JSON.stringify(sent) : ''
    const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n`
    const alone = await rawExchange(
      api.url,
      Buffer.from(`${head}Content-Length: ${content.length}\r\n\r\n${content}`),
    )
    assert.match(alone, new RegExp(`^HTTP/1.1 ${status} `), line)
    assert.equal(response?.status, status, line)
  }
  const [removed] = responsesOf(await send(api, [operation(`DELETE ${await made()}.xml`)]))
  assert.deepEqual([removed?.status, removed?.body], [204, null])
  const [outside] = responsesOf(await send(api, [{ method: 'POST', path: '/todos' }]))
  assert.deepEqual(outside?.body?.details, [
    { code: 'Pattern', message: '"path" must begin with /api/v1/.', target: 'path' },
  ])
})
