import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawExchange } from '../harness.ts'
import { createMember, createTodo } from './creating.ts'
import { expectErrorShape, expectEverywhere, prepare, service, shortCode, unknownId } from './table.ts'
import { firstAnswer, type WireAnswer, wire } from './wire.ts'

const app = service()
let todo = ''
let member = ''
prepare(async () => {
  todo = await createTodo(app())
  member = String((await createMember(app())).memberId)
})

/** The known paths and the methods allowed on each. */
const resources = (): { path: string; allow: string[] }[] => [
  { path: '/todos', allow: ['GET', 'HEAD', 'OPTIONS', 'POST'] },
  { path: '/members', allow: ['GET', 'HEAD', 'OPTIONS', 'POST'] },
  { path: `/todos/${todo}`, allow: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'] },
  { path: `/members/${member}`, allow: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'] },
  { path: `/members/${member}/credential`, allow: ['OPTIONS', 'PATCH', 'PUT'] },
]
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'SEARCH', 'QUERY']
const methodsIn = (value: string | undefined): string[] => (value ?? '').split(/\s*,\s*/).sort()

const send = (method: string, path: string, headers: Record<string, string> = {}): Promise<WireAnswer> =>
  wire(app().url, { method, path: `/api/v1${path}`, headers })

const text = (answer: WireAnswer): string => answer.bytes.toString()

interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Expects the error body and the headers of every answer. */
const expectRefusal = (answer: Refusal, status: number, code: string): void => {
  assert.equal(answer.status, status, answer.text.slice(0, 300))
  expectEverywhere(answer.headers)
  const error: unknown = JSON.parse(answer.text)
  expectErrorShape(error)
  assert.equal((error as { code: string }).code, shortCode(code))
}

const raw = async (bytes: string | Buffer): Promise<Refusal> =>
  firstAnswer(await rawExchange(app().url, bytes))
const sendHead = (line: string, ...headers: string[]): Promise<Refusal> =>
  raw(`${line} HTTP/1.1\r\n${['Host: 127.0.0.1', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`)

test('any other method on a known path is refused with 405, and Allow lists the permitted ones', async () => {
  for (const { path, allow } of resources()) {
    for (const method of methods.filter((name) => !allow.includes(name))) {
      const answer = await send(method, path)
      expectRefusal({ ...answer, text: text(answer) }, 405, '6001')
      assert.deepEqual(methodsIn(answer.headers.allow), allow, `${method} ${path}`)
    }
  }
})

test('an unknown method is refused with 405 and the Allow of the path', async () => {
  for (const method of ['FOO', 'get', 'BREW']) {
    const answer = await sendHead(`${method} /api/v1/todos`)
    expectRefusal(answer, 405, '6001')
    assert.deepEqual(methodsIn(answer.headers.allow), ['GET', 'HEAD', 'OPTIONS', 'POST'])
    const onDocument = await sendHead(`${method} /api/v1/openapi.json`)
    expectRefusal(onDocument, 405, '6001')
    assert.deepEqual(methodsIn(onDocument.headers.allow), ['GET', 'HEAD', 'OPTIONS'])
  }
})

test('the refusal of an unknown method or CONNECT has the track of its request, in the requested form and language', async () => {
  const fields = ['X-Track: mine', 'Accept: application/xml', 'Accept-Language: ja']
  for (const line of ['FOO /api/v1/todos', 'get /api/v1/todos', 'CONNECT 127.0.0.1:1']) {
    const { status, headers, text } = await sendHead(line, ...fields)
    assert.equal(status, 405, line)
    assert.equal(headers['x-track'], 'mine')
    assert.equal(headers['content-type'], 'application/xml')
    assert.equal(headers['content-language'], 'ja')
    assert.match(text, /<code>e\.xx\.fw\.6001<\/code>/)
  }
  assert.equal((await sendHead('FOO /api/v1/todos.xml')).headers['content-type'], 'application/xml')
  const absolute = 'FOO http://127.0.0.1/api/v1/todos'
  assert.equal((await sendHead(`${absolute}.xml`)).headers['content-type'], 'application/xml')
  const { headers } = await sendHead('FOO /api/v1/todos', 'X-Track: a', 'X-Track: b')
  assert.match(headers['x-track'] ?? '', /^[0-9a-f]{32}$/)
  for (const line of ['FOO /api/v1/todos?size=1', `${absolute}?size=1`]) {
    const problem = await sendHead(line, 'Accept: application/problem+json')
    assert.equal(JSON.parse(problem.text).instance, '/api/v1/todos')
  }
})

test('an unknown path is answered with 404, whatever the method', async () => {
  for (const method of [...methods, 'OPTIONS']) {
    const answer = await send(method, '/nothing')
    expectRefusal({ ...answer, text: text(answer) }, 404, '5001')
  }
  assert.equal((await send('HEAD', '/nothing')).status, 404)
})

test('the suffix of an unknown path decides whether its refusal is JSON or XML, whatever the method and Accept', async () => {
  const forms = [
    ['/api/v1/nope.xml', 'application/json', 'application/xml'],
    ['/api/v1/nope.json', 'application/xml', 'application/json'],
    ['/api/v1/nope.json', 'application/problem+json', 'application/json'],
    ['/api/v1/nope.csv', 'application/xml', 'application/xml'],
    ['/api/v1/nope.csv', 'application/json', 'application/json'],
    ['/api/v1/nope.d/x', 'application/xml', 'application/xml'],
    ['/nope.xml', 'application/json', 'application/xml'],
  ] as const
  for (const [path, accept, expected] of forms)
    for (const method of [...methods, 'OPTIONS', 'FOO']) {
      const { status, headers } = await sendHead(`${method} ${path}`, `Accept: ${accept}`)
      assert.equal(status, path.startsWith('/api/') ? 404 : 403)
      assert.equal(headers['content-type'], expected, `${method} ${path} for ${accept}`)
    }
})

test('OPTIONS is answered with 204 and Allow, and with Accept-Patch where PATCH is allowed', async () => {
  for (const { path, allow } of resources()) {
    const answer = await send('OPTIONS', path)
    assert.equal(answer.status, 204)
    assert.equal(answer.bytes.length, 0)
    expectEverywhere(answer.headers)
    assert.deepEqual(methodsIn(answer.headers.allow), allow)
    const patch = allow.includes('PATCH') ? 'application/merge-patch+json' : undefined
    assert.equal(answer.headers['accept-patch'], patch, path)
  }
})

const headHeaders: Record<string, string>[] = [
  {},
  { accept: 'application/xml' },
  { accept: 'text/html' },
  { 'accept-encoding': 'gzip' },
  { 'accept-encoding': 'br' },
  { 'if-none-match': '*' },
]
for (const headers of headHeaders) {
  test(`HEAD has the status and headers of GET, without a body (${JSON.stringify(headers)})`, async () => {
    const paths = [
      '/todos',
      `/todos/${todo}`,
      '/todos?page=0',
      '/members',
      `/members/${member}`,
      `/members/${member}.xml`,
    ]
    paths.push('/todos?page=abc', '/nothing', `/todos/${unknownId}`, '/todos.yaml', '/todos?cursor=&size=1')
    for (const path of paths) {
      const get = await send('GET', path, headers)
      const head = await send('HEAD', path, headers)
      assert.equal(head.status, get.status, path)
      assert.equal(head.bytes.length, 0, path)
      assert.deepEqual(comparable(head), comparable(get), path)
    }
  })
}

const comparable = ({ headers }: WireAnswer): Record<string, string> => {
  const { date: _, 'x-track': __, 'transfer-encoding': ___, ...rest } = headers
  return rest
}

test('every path outside /api/v1 is answered with 403', async () => {
  for (const path of ['/', '/api', '/api/v10/todos', '/API/v1/todos', '/docs', '/.well-known/x']) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'TRACE']) {
      const answer = await wire(app().url, { method, path })
      expectRefusal({ ...answer, text: text(answer) }, 403, '4003')
    }
    assert.equal((await wire(app().url, { method: 'HEAD', path })).status, 403)
  }
})

test('a path with a trailing slash is answered with 404', async () => {
  const list = await send('GET', '/todos/')
  expectRefusal({ ...list, text: text(list) }, 404, '5001')
  for (const path of ['/members/', `/todos/${todo}/`, `/members/${member}/`])
    assert.equal((await send('GET', path)).status, 404, path)
})

test('an id with invalid percent-encoding or bytes is answered with 400 or 404', async () => {
  for (const id of ['%zz', '%', '%f', '%ff', '%c0%af', '%00', '%ed%a0%80']) {
    for (const line of [`GET /api/v1/todos/${id}`, `DELETE /api/v1/members/${id}`]) {
      const answer = await sendHead(line)
      assert.ok([400, 404].includes(answer.status), `${line}: ${answer.status}`)
      expectErrorShape(JSON.parse(answer.text))
    }
  }
})

test('a target in absolute form is routed by its path', async () => {
  assert.equal((await sendHead('GET http://127.0.0.1/api/v1/todos')).status, 200)
  assert.equal((await sendHead(`GET http://example.com/api/v1/todos/${todo}`)).status, 200)
  expectRefusal(await sendHead('GET http://127.0.0.1/'), 403, '4003')
  expectRefusal(await sendHead('GET http://127.0.0.1/secret/api/v1/todos'), 403, '4003')
  expectRefusal(await sendHead('GET http://127.0.0.1/api/v1/nothing'), 404, '5001')
})

test('CONNECT is refused with an error body', async () => {
  for (const authority of ['example.com:443', '127.0.0.1:22', '/api/v1/todos']) {
    const answer = await sendHead(`CONNECT ${authority}`)
    expectRefusal(answer, 405, '6001')
    expectEverywhere(answer.headers)
    expectErrorShape(JSON.parse(answer.text))
  }
})

test('TRACE is refused with 405 and echoes nothing', async () => {
  const answer = await sendHead('TRACE /api/v1/todos', 'X-Secret: do-not-echo')
  expectRefusal(answer, 405, '6001')
  assert.ok(!answer.text.includes('do-not-echo'))
})

test('OPTIONS * lists all methods', async () => {
  const answer = await sendHead('OPTIONS *')
  assert.deepEqual(
    [answer.status, answer.headers.allow],
    [204, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  )
  expectEverywhere(answer.headers)
})

const malformed: readonly (readonly [string, string])[] = [
  ['a nonsensical request line', 'hello, is anybody there?\r\n\r\n'],
  ['a port beyond 65535 in Host', 'GET /api/v1/todos HTTP/1.1\r\nHost: a:65536\r\nConnection: close\r\n\r\n'],
]
for (const [defect, bytes] of malformed) {
  test(`HTTP with ${defect} is refused with 400`, async () => {
    expectRefusal(await raw(bytes), 400, '6000')
  })
}

test('an unencoded quote, space, angle bracket, # or non-ASCII character in a target is refused with 400', async () => {
  for (const path of ['/todos?q="a"', '/todos?q=<', '/todos/>', '/todos#x', '/山', '/a b c']) {
    const answer = await sendHead(`GET /api/v1${path}`)
    expectRefusal(answer, 400, '6000')
    assert.equal(JSON.parse(answer.text).details[0].code, 'Unencoded', path)
  }
  assert.equal((await sendHead('GET /api/v1/todos?q=|{}^`')).status, 200)
})

const post = 'POST /api/v1/todos HTTP/1.1\r\nHost: x\r\n'
const chunked = `${post}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
const named: readonly (readonly [string, string, { code: string; target?: string }])[] = [
  ['no Host', 'GET /api/v1/todos HTTP/1.1\r\n\r\n', { code: 'Missing', target: 'Host' }],
  [
    'two Host fields',
    'GET /api/v1/todos HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n',
    { code: 'Once', target: 'Host' },
  ],
  [
    'a Host that no URL could contain',
    'GET /api/v1/todos HTTP/1.1\r\nHost: a b\r\n\r\n',
    { code: 'Pattern', target: 'Host' },
  ],
  [
    'two Content-Type fields',
    `${post}Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    { code: 'Once', target: 'Content-Type' },
  ],
  [
    'two Idempotency-Key fields',
    `${post}Content-Type: application/json\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 2\r\n\r\n{}`,
    { code: 'Once', target: 'Idempotency-Key' },
  ],
  ['a chunk size that is no number', `${chunked}zz\r\n{}\r\n0\r\n\r\n`, { code: 'Chunk' }],
]
for (const [defect, bytes, detail] of named) {
  test(`the refusal of HTTP with ${defect} names the defect, in each language`, async () => {
    for (const language of ['en', 'ja']) {
      const answer = await raw(bytes.replace('\r\n', `\r\nAccept-Language: ${language}\r\n`))
      expectRefusal(answer, 400, '6000')
      assert.partialDeepStrictEqual(JSON.parse(answer.text).details, [detail])
    }
  })
}

test('any Expect other than 100-continue is refused with 417, and an empty one is ignored', async () => {
  expectRefusal(await sendHead('GET /api/v1/todos', 'Expect: foo'), 417, '6008')
  expectRefusal(await sendHead('POST /api/v1/todos', 'Expect: 200-ok', 'Content-Length: 0'), 417, '6008')
  for (const expectation of ['100-continue, foo', 'foo, 100-continue', '100-continue;q=1', '100-continue=1'])
    expectRefusal(await sendHead('GET /api/v1/todos', `Expect: ${expectation}`), 417, '6008')
  for (const accepted of ['', ',', '100-Continue', ',100-continue,'])
    assert.equal((await sendHead('GET /api/v1/todos', `Expect: ${accepted}`)).status, 200, accepted)
})

test('an unsupported Expect is refused with 417 only if path and method exist', async () => {
  expectRefusal(await sendHead('POST /foo', 'Expect: foo', 'Content-Length: 9'), 403, '4003')
  expectRefusal(await sendHead('GET /api/v1/nope', 'Expect: foo'), 404, '5001')
  expectRefusal(await sendHead('TRACE /api/v1/todos', 'Expect: foo'), 405, '6001')
  expectRefusal(await sendHead('GET /api/v1/openapi.json', 'Expect: foo'), 417, '6008')
})

test('a 417 closes the connection, and a request sent after it is not answered', async () => {
  const post = 'POST /api/v1/todos HTTP/1.1\r\nHost: x\r\nContent-Length: 17\r\n'
  const next = 'GET /api/v1/todos HTTP/1.1\r\nHost: x\r\n\r\n'
  const received = await rawExchange(app().url, `${post}Expect: foo\r\n\r\n${next}`)
  assert.deepEqual(
    [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status),
    ['417'],
  )
  assert.equal(firstAnswer(received).headers.connection, 'close')
})

test('Expect: 100-continue is answered with 100 Continue, then with 201', async () => {
  const sent = '{"todoTitle":"after you"}'
  const head = `POST /api/v1/todos HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n`
  const received = await rawExchange(app().url, head + sent)
  assert.match(received, /^HTTP\/1\.1 100 Continue\r\n/)
  assert.match(received, /HTTP\/1\.1 201 /)
})

test('PUT with Content-Range is refused with 400', async () => {
  const answer = await sendHead('PUT /api/v1/members/x', 'Content-Range: bytes 0-1/9', 'Content-Length: 2')
  expectRefusal(answer, 400, '6000')
})

test('with Expect: 100-continue, a Content-Length over the limit is refused with 413 at once', async () => {
  const answer = await sendHead(
    'POST /api/v1/todos',
    'Expect: 100-continue',
    'Content-Type: application/json',
    'Content-Length: 1048577',
  )
  expectRefusal(answer, 413, '6004')
})

test('with Expect: 100-continue, invalid parameters are refused before the body is asked for', async () => {
  const head = (target: string, length = 2) =>
    `POST /api/v1${target} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  const statusOf = async (sent: string) =>
    (await rawExchange(app().url, sent, { enough: /^HTTP\/1\.1 \d{3}/ })).slice(9, 12)
  assert.equal(await statusOf(head('/members?view=x')), '400')
  assert.equal(await statusOf(head('/todos?links=x')), '400')
  assert.equal(await statusOf(head('/todos?links=x', 1_048_577)), '413')
  assert.equal(await statusOf(head('/todos?unknown=x')), '100')
})

test('a URL of 8 KiB is served, and a longer one is refused with 414 or 431', async () => {
  const path = (length: number): string => `/api/v1/todos?x=${'y'.repeat(length - 16)}`
  assert.equal((await sendHead(`GET ${path(8_192)}`)).status, 200)
  expectRefusal(await sendHead(`GET ${path(8_193)}`), 414, '6005')
  const longer = await sendHead(`GET ${path(40_000)}`)
  assert.ok([414, 431].includes(longer.status), `${longer.status}`)
  expectErrorShape(JSON.parse(longer.text))
})

test('headers of just under 15 KiB are served, and more than 16 KiB are refused with 431', async () => {
  assert.equal((await sendHead('GET /api/v1/todos', `X-Large: ${'x'.repeat(15_000)}`)).status, 200)
  expectRefusal(await sendHead('GET /api/v1/todos', `X-Large: ${'x'.repeat(17_000)}`), 431, '6006')
  expectRefusal(await sendHead('GET /api/v1/todos', `X-Large: ${'x'.repeat(100_000)}`), 431, '6006')
  const many = Array.from({ length: 1500 }, (_, i) => `X-${i}: ${i}`)
  expectRefusal(await sendHead('GET /api/v1/todos', ...many), 431, '6006')
})

test('a body of 1 MiB is accepted, and a larger one is refused with 413, chunked or not', async () => {
  const sent = (size: number): string => `{"todoTitle":"a"${' '.repeat(size - 17)}}`
  const post = (body: string | Buffer, headers: Record<string, string> = {}): Promise<WireAnswer> =>
    wire(app().url, {
      method: 'POST',
      path: '/api/v1/todos',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  assert.equal((await post(sent(1_048_576))).status, 201)
  expectRefusal(
    await sendHead('POST /api/v1/todos', 'Content-Type: application/json', 'Content-Length: 1048577'),
    413,
    '6004',
  )
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  const head =
    'POST /api/v1/todos HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n'
  expectRefusal(await raw(`${head}${chunk.repeat(17)}0\r\n\r\n`), 413, '6004')
})

test('a pipelined read sees the changes pipelined before it, but none after it', async () => {
  const body = JSON.stringify({ todoTitle: 'In one breath' })
  const create = `POST /api/v1/todos HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const listAll = (rest: string) => `GET /api/v1/todos HTTP/1.1\r\nHost: x\r\n${rest}\r\n`
  const requests = listAll('') + create + listAll('') + create + listAll('Connection: close\r\n')
  const received = await rawExchange(app().url, requests)
  assert.deepEqual(statuses(received), ['200', '201', '200', '201', '200'])
  const shown = received.split('HTTP/1.1 ').map((answer) => answer.split('"In one breath"').length - 1)
  assert.deepEqual(shown.slice(1), [0, 1, 1, 1, 2])
})

const statuses = (received: string): string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, one]) => String(one))

test('an unknown method is refused with 405, even directly behind a body', async () => {
  for (const body of ['{"todoTitle":"a"}', '{"todoTitle":\n"a"}', 'x']) {
    const post = `POST /api/v1/todos HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const sent = `${post}${body}FOO /api/v1/todos HTTP/1.1\r\nHost: x\r\n\r\n`
    const received = await rawExchange(app().url, sent)
    assert.deepEqual(statuses(received), [body === 'x' ? '400' : '201', '405'])
    assert.match(received, /\r\nAllow: GET, HEAD, POST, OPTIONS\r\n/)
  }
})

test('HTTP/1.0 is answered with Connection: close', async () => {
  const received = await rawExchange(app().url, 'GET /api/v1/todos?page=0&size=1 HTTP/1.0\r\nHost: x\r\n\r\n')
  assert.match(received, /^HTTP\/1\.[01] 200 /)
  assert.match(received, /connection: close/i)
})
