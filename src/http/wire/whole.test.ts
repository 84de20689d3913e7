import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import { collect, opened, started, until, unused } from './listener.suite.ts'

const ask = (method: string, connection = 'keep-alive', version = '1.1') =>
  `${method} / HTTP/${version}\r\nHost: x\r\nX-Track: t\r\nConnection: ${connection}\r\n\r\n`

const answers: readonly [content: string, method: string, answer: Answer][] = [
  ['a text', 'GET', { status: 200, headers: ['Content-Type', 'application/json'], body: '{"a":1}' }],
  ['a non-ASCII text', 'GET', { status: 404, headers: ['ETag', '"1"'], body: '語🧾é' }],
  ['a non-ASCII header', 'GET', { status: 200, headers: ['Location', '/é'], body: '{}' }],
  [
    'a binary body',
    'GET',
    { status: 200, headers: ['Content-Encoding', 'gzip'], body: Buffer.from([0, 255, 128]) },
  ],
  ['an empty text', 'POST', { status: 201, headers: ['Location', '/1'], body: '' }],
  ['no body', 'DELETE', { status: 204, headers: [] }],
  ['status 304', 'GET', { status: 304, headers: ['ETag', '"1"', 'Vary', 'Accept'] }],
  ['a head only', 'HEAD', { status: 200, headers: [], body: 'há' }],
  [
    'a Content-Security-Policy',
    'GET',
    { status: 200, headers: [], contentSecurityPolicy: "'self'", body: 'x' },
  ],
]

for (const [content, method, answer] of answers) {
  test(`an answer with ${content} is byte for byte that of node:http, kept alive or closed`, {
    timeout: 20_000,
  }, async (t) => {
    const server = await started(t, { otherwise: async () => answer })
    const answerTo = async (request: string) => {
      const socket = await opened(t, server)
      const received = collect(socket)
      socket.write(request)
      await once(socket, 'end')
      return withoutDate(received.text)
    }
    // Answers to HTTP/1.0 are written by node:http.
    const expected = await answerTo(ask(method, 'close', '1.0'))
    assert.match(expected, /^Connection: close\r$/m)
    assert.equal(await answerTo(ask(method, 'close')), expected)
    const staying = expected.replace('Connection: close\r\n', 'Keep-Alive: timeout=5\r\n')
    assert.equal(await answerTo(ask(method) + ask(method, 'close')), staying + expected)
  })
}

const withoutDate = (text: string) =>
  text.replaceAll(/Date: [A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT\r\n/g, '')

const sizeBytes = 24 * 1024 * 1024

for (const [content, body] of [
  ['one-byte characters', 'a'.repeat(sizeBytes)],
  ['three-byte characters', '語'.repeat(sizeBytes / 3)],
  ['bytes', Buffer.alloc(sizeBytes)],
] as const) {
  test(`a reader that pauses gets all of an answer of ${content}, and then the next answer`, {
    timeout: 30_000,
  }, async (t) => {
    const statuses: number[] = []
    const server = await started(t, {
      otherwise: async ({ method }) =>
        method === 'GET' ? { status: 200, headers: [], body } : { status: 204, headers: [] },
      observe: (_, status) => statuses.push(status),
      limits: { keepAliveTimeout: 50, headersTimeout: 1_000, connectionsCheckingInterval: 50 },
    })
    const socket = await opened(t, server)
    socket.write(ask('GET') + ask('DELETE'))
    await until(t, async () => statuses.length > 0)
    await sleep(2_500)
    assert.deepEqual(statuses, [200])
    let readBytes = 0
    let end = ''
    socket.on('data', (bytes) => {
      readBytes += bytes.length
      end = (end + bytes.toString('latin1')).slice(-2_000)
    })
    await until(t, async () => statuses.length === 2)
    await until(t, async () => end.includes('HTTP/1.1 204 '))
    assert.ok(readBytes > sizeBytes, `${readBytes} bytes`)
  })
}

test('a reader that pauses gets all of the last answer, and then the end of the connection', {
  timeout: 30_000,
}, async (t) => {
  const server = await started(t, {
    otherwise: async () => ({ status: 200, headers: [], body: 'a'.repeat(sizeBytes) }),
  })
  const socket = await opened(t, server)
  socket.write(ask('GET', 'close'))
  await sleep(500)
  let readBytes = 0
  socket.on('data', (bytes) => {
    readBytes += bytes.length
  })
  await once(socket, 'end')
  assert.ok(readBytes > sizeBytes, `${readBytes} bytes`)
})

test('a Latin-1 header keeps its bytes beside a UTF-8 body', {
  timeout: 20_000,
}, async (t) => {
  const server = await started(t, {
    otherwise: async () => ({ status: 200, headers: ['Location', '/é'], body: '語' }),
  })
  const socket = await opened(t, server)
  const received = collect(socket)
  socket.write(ask('GET'))
  await until(t, async () => received.text.endsWith(Buffer.from('語').toString('latin1')))
  assert.match(received.text, /^Location: \/é\r$/m)
  assert.match(received.text, /^Content-Length: 3\r$/m)
})

test('a header value with a line break is never sent', { timeout: 20_000 }, async (t) => {
  const failures: string[] = []
  const server = await started(t, {
    otherwise: async () => ({ status: 200, headers: ['Location', '/\r\nSet-Cookie: a'], body: '' }),
    log: { answered: unused, refused: unused, failed: (_, cause) => failures.push(String(cause)) },
  })
  const socket = await opened(t, server)
  const received = collect(socket)
  socket.write(ask('GET'))
  await once(socket, 'end')
  assert.equal(received.text, '')
  assert.equal(failures.length, 1)
})

test('a client that resets before its answer is sent causes no failure, and others are served', {
  timeout: 20_000,
}, async (t) => {
  const { promise: untilLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const failures: unknown[] = []
  let begun = 0
  let ended = 0
  const server = await started(t, {
    otherwise: async ({ method }) => {
      begun++
      if (method === 'PUT') await untilLetGo
      return { status: 200, headers: [], body: 'x'.repeat(100_000) }
    },
    log: { answered: () => ended++, refused: unused, failed: (_, cause) => failures.push(cause) },
  })
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const [gone, other] = [await opened(t, server), await opened(t, server)]
  const [socket] = await accepted
  gone.write(ask('PUT'))
  await until(t, async () => begun === 1)
  gone.resetAndDestroy()
  await until(t, async () => socket.destroyed)
  letGo()
  await until(t, async () => ended === 1)
  const received = collect(other)
  other.write(ask('GET'))
  await until(t, async () => received.text.length > 100_000)
  assert.deepEqual(failures, [])
})
