import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { collect, doNothing, head, openSocket, startListener, until } from '#test/listener.ts'
import { queueLimit, totalQueueLimit } from './limits.ts'
import type { ListenerOptions } from './listener.ts'

/** Starts a listener that records which requests begin and end. The request for `/1` runs until `endFirst` is called. */
const startRecording = async (t: TestContext, options: Partial<ListenerOptions> = {}) => {
  const events: string[] = []
  const { promise: firstMayEnd, resolve: endFirst } = Promise.withResolvers<void>()
  const server = await startListener(t, {
    fallback: async ({ method, incoming }) => {
      events.push(`begin ${method} ${incoming.url}`)
      if (incoming.url === '/1') await firstMayEnd
      events.push(`end ${method} ${incoming.url}`)
      return { status: 204, headers: [] }
    },
    ...options,
  })
  const socket = await openSocket(t, server)
  const requestFor = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\n${head}\r\n`
  /** Resolves once the first request has firstBegun and everything sent with it has been read. */
  const firstBegun = async () => {
    await until(t, async () => events.length > 0)
    await turn()
  }
  return { socket, requestFor, events, firstBegun, endFirst }
}

test('a half-closed client gets every answer, only the last with Connection: close', {
  timeout: 60_000,
}, async (t) => {
  const { socket, requestFor, firstBegun, endFirst } = await startRecording(t)
  const received = collect(socket)
  socket.end(requestFor('PUT', '/1') + requestFor('GET', '/2') + requestFor('GET', '/3'))
  await firstBegun()
  endFirst()
  await once(socket, 'end')
  const [, first, second, third] = received.text.split('HTTP/1.1 204')
  assert.doesNotMatch(`${first}${second}`, /^Connection: close/im)
  assert.match(`${third}`, /^Connection: close/im)
})

test('a client that half-closes an idle connection is disconnected', {
  timeout: 60_000,
}, async (t) => {
  const { socket, requestFor } = await startRecording(t)
  const received = collect(socket)
  socket.write(requestFor('GET', '/2'))
  await once(socket, 'data')
  socket.end()
  await once(socket, 'end')
  assert.match(received.text, /^HTTP\/1\.1 204 /)
  assert.doesNotMatch(received.text, /^Connection: close/im)
})

test('a client that half-closes in the middle of a request gets 400', {
  timeout: 60_000,
}, async (t) => {
  const { socket } = await startRecording(t)
  const received = collect(socket)
  socket.end(`GET / HTTP/1.1\r\n${head}`)
  await once(socket, 'end')
  assert.match(received.text, /^HTTP\/1\.1 400 /)
})

for (const malformed of ['nonsense', 'GET / HTTP/1.1\r\nno colon', 'FOO / HTTP/1.1\r\nHost: x']) {
  test(`a half-closed client gets its answers and then the refusal of ${JSON.stringify(malformed)}`, {
    timeout: 60_000,
  }, async (t) => {
    const { socket, requestFor, firstBegun, endFirst } = await startRecording(t)
    const received = collect(socket)
    socket.end(`${requestFor('PUT', '/1')}${requestFor('GET', '/2')}${malformed}\r\n\r\n`)
    await firstBegun()
    endFirst()
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
    const { socket, requestFor, events, firstBegun, endFirst } = await startRecording(t)
    const received = collect(socket)
    socket.write(`GET /1 HTTP/1.1\r\n${field}\r\n${head}\r\n`)
    await firstBegun()
    socket.write(requestFor('PUT', '/2'))
    endFirst()
    await once(socket, 'end')
    assert.match(received.text, /^HTTP\/1\.1 204 .*\r\nConnection: close\r\n/is)
    assert.deepEqual(events, ['begin GET /1', 'end GET /1'])
  })
}

test('a request behind the last answer of a connection never begins', { timeout: 60_000 }, async (t) => {
  const { socket, requestFor, events, firstBegun, endFirst } = await startRecording(t, {
    isDraining: () => true,
  })
  const received = collect(socket)
  socket.write(requestFor('GET', '/1') + requestFor('PUT', '/2') + requestFor('PUT', '/3'))
  await firstBegun()
  endFirst()
  await once(socket, 'end')
  assert.equal(received.text.split('HTTP/1.1 ').length, 2)
  assert.deepEqual(events, ['begin GET /1', 'end GET /1'])
})

test('requests that wait on a connection when it is reset never begin, and are logged as 408', {
  timeout: 60_000,
}, async (t) => {
  const statuses: number[] = []
  const log = {
    answer: (_: unknown, status: number) => statuses.push(status),
    parserRefusal: doNothing,
    failure: doNothing,
  }
  const { socket, requestFor, events, firstBegun, endFirst } = await startRecording(t, { log })
  socket.write(requestFor('GET', '/1') + requestFor('PUT', '/2') + requestFor('PUT', '/3'))
  await firstBegun()
  socket.resetAndDestroy()
  await until(t, async () => statuses.length === 2)
  endFirst()
  await until(t, async () => statuses.length === 3)
  assert.deepEqual(events, ['begin GET /1', 'end GET /1'])
  assert.deepEqual(statuses.slice(0, 2), [408, 408])
})

test('more pipelined requests than the queue holds are all answered', {
  timeout: 60_000,
}, async (t) => {
  const { socket, requestFor, firstBegun, endFirst } = await startRecording(t)
  const received = collect(socket)
  const many = 40 * queueLimit
  socket.write(requestFor('GET', '/1') + requestFor('GET', '/2').repeat(many))
  await firstBegun()
  endFirst()
  await until(t, async () => received.text.split('HTTP/1.1 204').length === many + 2)
})

test('requests that waited on broken connections make room in the queue for later ones', {
  timeout: 60_000,
}, async (t) => {
  let open = 0
  const server = await startListener(t, {
    fallback: ({ outgoing }) =>
      new Promise((answer) => {
        open++
        outgoing.once('close', () => {
          open--
          answer({ status: 204, headers: [] })
        })
      }),
  })
  const request = `GET / HTTP/1.1\r\n${head}\r\n`
  const many = totalQueueLimit / queueLimit - 1
  for (let round = 0; round < 2; round++) {
    const sockets = await Promise.all(Array.from({ length: many }, () => openSocket(t, server)))
    for (const socket of sockets) socket.write(request.repeat(queueLimit + 1))
    await until(t, async () => open === sockets.length)
    for (const socket of sockets) socket.resetAndDestroy()
    await until(t, async () => open === 0)
  }
  const later = await startRecording(t)
  const received = collect(later.socket)
  later.socket.write(later.requestFor('GET', '/1') + later.requestFor('GET', '/2'))
  later.endFirst()
  await until(t, async () => received.text.split('HTTP/1.1 204').length === 3)
})
