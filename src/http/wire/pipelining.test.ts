import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { collect, doNothing, head, openSocket, startListener, until } from '#test/listener.ts'
import { queueInTotalLimit, queueLimit } from './limits.ts'
import type { ListenerParts } from './listener.ts'

/** Records in order which requests begin and end. The first one runs until `letGo` is called. */
const oneByOne = async (t: TestContext, parts: Partial<ListenerParts> = {}) => {
  const events: string[] = []
  const { promise: untilLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const server = await startListener(t, {
    otherwise: async ({ method, incoming }) => {
      events.push(`begin ${method} ${incoming.url}`)
      if (incoming.url === '/1') await untilLetGo
      events.push(`end ${method} ${incoming.url}`)
      return { status: 204, headers: [] }
    },
    ...parts,
  })
  const socket = await openSocket(t, server)
  const ask = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\n${head}\r\n`
  /** Resolves once the first request has begun and everything sent with it has been read. */
  const begun = async () => {
    await until(t, async () => events.length > 0)
    await turn()
  }
  return { socket, ask, events, begun, letGo }
}

test('a half-closed client gets every answer, only the last with Connection: close', {
  timeout: 60_000,
}, async (t) => {
  const { socket, ask, begun, letGo } = await oneByOne(t)
  const received = collect(socket)
  socket.end(ask('PUT', '/1') + ask('GET', '/2') + ask('GET', '/3'))
  await begun()
  letGo()
  await once(socket, 'end')
  const [, first, second, third] = received.text.split('HTTP/1.1 204')
  assert.doesNotMatch(`${first}${second}`, /^Connection: close/im)
  assert.match(`${third}`, /^Connection: close/im)
})

test('a client that half-closes after an answer without Connection: close is disconnected', {
  timeout: 60_000,
}, async (t) => {
  const { socket, ask } = await oneByOne(t)
  const received = collect(socket)
  socket.write(ask('GET', '/2'))
  await once(socket, 'data')
  socket.end()
  await once(socket, 'end')
  assert.match(received.text, /^HTTP\/1\.1 204 /)
  assert.doesNotMatch(received.text, /^Connection: close/im)
})

test('a client that half-closes in the middle of a request gets 400', {
  timeout: 60_000,
}, async (t) => {
  const { socket } = await oneByOne(t)
  const received = collect(socket)
  socket.end(`GET / HTTP/1.1\r\n${head}`)
  await once(socket, 'end')
  assert.match(received.text, /^HTTP\/1\.1 400 /)
})

for (const malformed of ['nonsense', 'GET / HTTP/1.1\r\nno colon', 'FOO / HTTP/1.1\r\nHost: x']) {
  test(`a half-closed client gets its answers and then the refusal of ${JSON.stringify(malformed)}`, {
    timeout: 60_000,
  }, async (t) => {
    const { socket, ask, begun, letGo } = await oneByOne(t)
    const received = collect(socket)
    socket.end(`${ask('PUT', '/1')}${ask('GET', '/2')}${malformed}\r\n\r\n`)
    await begun()
    letGo()
    await once(socket, 'end')
    const [, first, second, third] = received.text.split('HTTP/1.1 ')
    assert.match(`${first}`, /^204 /)
    assert.match(`${second}`, /^204 /)
    assert.doesNotMatch(`${first}${second}`, /^Connection: close/im)
    assert.match(`${third}`, /^40[03] .*\r\nConnection: close\r\n/s)
  })
}

for (const [behaviour, field] of [
  ['asks for an upgrade', 'Connection: Upgrade\r\nUpgrade: x'],
  ['expects 100-continue', 'Expect: 100-continue'],
]) {
  test(`a request that ${behaviour} is the last one served on its connection`, {
    timeout: 60_000,
  }, async (t) => {
    const { socket, ask, events, begun, letGo } = await oneByOne(t)
    const received = collect(socket)
    socket.write(`GET /1 HTTP/1.1\r\n${field}\r\n${head}\r\n`)
    await begun()
    socket.write(ask('PUT', '/2'))
    letGo()
    await once(socket, 'end')
    assert.match(received.text, /^HTTP\/1\.1 204 .*\r\nConnection: close\r\n/is)
    assert.deepEqual(events, ['begin GET /1', 'end GET /1'])
  })
}

test('a request behind the last answer of a connection never begins', { timeout: 60_000 }, async (t) => {
  const { socket, ask, events, begun, letGo } = await oneByOne(t, { isDraining: () => true })
  const received = collect(socket)
  socket.write(ask('GET', '/1') + ask('PUT', '/2') + ask('PUT', '/3'))
  await begun()
  letGo()
  await once(socket, 'end')
  assert.equal(received.text.split('HTTP/1.1 ').length, 2)
  assert.deepEqual(events, ['begin GET /1', 'end GET /1'])
})

test('requests that wait on a connection when it is reset never begin, and are logged as 408', {
  timeout: 60_000,
}, async (t) => {
  const statuses: number[] = []
  const log = {
    answered: (_: unknown, status: number) => statuses.push(status),
    refused: doNothing,
    failed: doNothing,
  }
  const { socket, ask, events, begun, letGo } = await oneByOne(t, { log })
  socket.write(ask('GET', '/1') + ask('PUT', '/2') + ask('PUT', '/3'))
  await begun()
  socket.resetAndDestroy()
  await until(t, async () => statuses.length === 2)
  letGo()
  await until(t, async () => statuses.length === 3)
  assert.deepEqual(events, ['begin GET /1', 'end GET /1'])
  assert.deepEqual(statuses.slice(0, 2), [408, 408])
})

test('every request of a pipeline longer than the queue is answered', {
  timeout: 60_000,
}, async (t) => {
  const { socket, ask, begun, letGo } = await oneByOne(t)
  const received = collect(socket)
  const many = 40 * queueLimit
  socket.write(ask('GET', '/1') + ask('GET', '/2').repeat(many))
  await begun()
  letGo()
  await until(t, async () => received.text.split('HTTP/1.1 204').length === many + 2)
})

test('requests that waited on broken connections make room in the queue for later ones', {
  timeout: 60_000,
}, async (t) => {
  let open = 0
  const server = await startListener(t, {
    otherwise: ({ outgoing }) =>
      new Promise((answer) => {
        open++
        outgoing.once('close', () => {
          open--
          answer({ status: 204, headers: [] })
        })
      }),
  })
  const ask = `GET / HTTP/1.1\r\n${head}\r\n`
  const many = queueInTotalLimit / queueLimit - 1
  for (let round = 0; round < 2; round++) {
    const sockets = await Promise.all(Array.from({ length: many }, () => openSocket(t, server)))
    for (const socket of sockets) socket.write(ask.repeat(queueLimit + 1))
    await until(t, async () => open === sockets.length)
    for (const socket of sockets) socket.resetAndDestroy()
    await until(t, async () => open === 0)
  }
  const later = await oneByOne(t)
  const received = collect(later.socket)
  later.socket.write(later.ask('GET', '/1') + later.ask('GET', '/2'))
  later.letGo()
  await until(t, async () => received.text.split('HTTP/1.1 204').length === 3)
})
