import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  collect,
  doNothing,
  head,
  isServed,
  openSocket,
  type StartedListener,
  startListener,
  until,
} from '#test/listener.ts'
import { discardLimitBytes } from './limits.ts'

const shortLimits = { headersTimeout: 1_000, requestTimeout: 1_500, connectionsCheckingInterval: 50 }

const openConnections = (server: StartedListener) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

const unfinished: Readonly<Record<string, string>> = {
  'nothing at all': '',
  'half a head': `GET / HTTP/1.1\r\n${head}`,
  'half a body': `POST / HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n{`,
  'broken HTTP': 'GET / HTTP/1.1\r\nHost : x\r\n\r\n',
}

test('an unfinished or broken request gets 408 or 400, and the server closes its connection', {
  timeout: 60_000,
}, async (t) => {
  const server = await startListener(t, { limits: shortLimits })
  const responses = []
  for (const beginning of Object.values(unfinished)) {
    const socket = await openSocket(t, server)
    responses.push(collect(socket))
    socket.write(beginning)
  }
  await until(t, async () => (await openConnections(server)) === 0)
  assert.deepEqual(
    responses.map(({ text }) => text.slice(0, 12)),
    ['HTTP/1.1 408', 'HTTP/1.1 408', 'HTTP/1.1 408', 'HTTP/1.1 400'],
  )
})

const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`

const unwanted: readonly (readonly [string, string, number])[] = [
  ['POST', head, 413],
  ['DELETE', head, 403],
]

for (const [method, fields, status] of unwanted)
  test(`a client that sends 3 MB in chunks before it reads gets its ${status}`, {
    timeout: 30_000,
  }, async (t) => {
    const server = await startListener(t)
    for (let times = 0; times < 10; times++) {
      const socket = await openSocket(t, server)
      socket.write(`${method} / HTTP/1.1\r\n${fields}Transfer-Encoding: chunked\r\n\r\n`)
      for (let count = 0; count < 48; count++)
        if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      const received = collect(socket)
      await once(socket, 'end')
      socket.end()
      assert.equal(received.text.slice(0, 12), `HTTP/1.1 ${status}`)
    }
    await until(t, async () => (await openConnections(server)) === 0)
  })

for (const [outcome, size, statuses] of [
  ['at the discard limit is served', discardLimitBytes, ['204', '204']],
  ['one byte above the discard limit is not served', discardLimitBytes + 1, ['204']],
] as const)
  test(`a request behind an unwanted body ${outcome}`, {
    timeout: 60_000,
  }, async (t) => {
    const server = await startListener(t)
    const socket = await openSocket(t, server)
    const received = collect(socket)
    socket.write(`PUT / HTTP/1.1\r\n${head}Content-Length: ${size}\r\n\r\n`)
    socket.write('x'.repeat(size))
    socket.end(`GET / HTTP/1.1\r\n${head}\r\n`)
    await once(socket, 'end')
    assert.deepEqual(
      [...received.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      statuses,
    )
  })

test('no request is served behind a body that got 413', { timeout: 60_000 }, async (t) => {
  const places: string[] = []
  const server = await startListener(t, {
    observe: ({ target }, status) => places.push(`${target.path} ${status}`),
  })
  const socket = await openSocket(t, server)
  socket.write(`POST /first HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`)
  const received = collect(socket)
  for (let count = 0; count < 48; count++) socket.write(chunk)
  socket.end(`0\r\n\r\nGET /second HTTP/1.1\r\n${head}\r\n`)
  await once(socket, 'end')
  assert.match(received.text, /^HTTP\/1\.1 413 /)
  assert.deepEqual(places, ['/first 413'])
})

test('no request is served behind an unwanted chunked body above the discard limit', {
  timeout: 60_000,
}, async (t) => {
  const places: string[] = []
  const server = await startListener(t, {
    observe: ({ method, target }, status) => places.push(`${method} ${target.path} ${status}`),
  })
  const socket = await openSocket(t, server)
  const received = collect(socket)
  socket.write(`PUT /first HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`)
  await until(t, async () => places.length === 1)
  for (let sent = 0; sent < discardLimitBytes; sent += 65_536) socket.write(chunk)
  await sleep(100)
  socket.write(`1\r\nx\r\n0\r\n\r\nPUT /second HTTP/1.1\r\n${head}Content-Length: 0\r\n\r\n`)
  await once(socket, 'end')
  assert.deepEqual(places, ['PUT /first 204'])
  assert.equal(received.text.split('HTTP/1.1 ').length, 2)
})

test('a client that pauses reading is not disconnected, and gets its whole answer and the next one', {
  timeout: 30_000,
}, async (t) => {
  const sizeBytes = 24 * 1024 * 1024
  const statuses: number[] = []
  const server = await startListener(t, {
    fallback: async ({ method }) =>
      method === 'GET'
        ? { status: 200, headers: [], body: Buffer.alloc(sizeBytes) }
        : { status: 204, headers: [] },
    observe: (_, status) => statuses.push(status),
    limits: { keepAliveTimeout: 50, headersTimeout: 1_000, connectionsCheckingInterval: 50 },
  })
  const socket = await openSocket(t, server)
  socket.write(`GET / HTTP/1.1\r\n${head}\r\nDELETE / HTTP/1.1\r\n${head}\r\n`)
  await until(t, async () => statuses.length > 0)
  await sleep(2_500)
  assert.deepEqual(statuses, [200])
  let readBytes = 0
  let end = ''
  socket.on('data', (bytes) => {
    readBytes += bytes.length
    end = (end + bytes.toString('latin1')).slice(-2_000)
  })
  await until(t, async () => end.includes('HTTP/1.1 204 '))
  assert.ok(readBytes > sizeBytes, `${readBytes} bytes`)
})

test('a refusal that cannot be written is logged as a failure, and its connection closes', {
  timeout: 60_000,
}, async (t) => {
  const failures: unknown[] = []
  const statuses: number[] = []
  const server = await startListener(t, {
    answerProblem: () => {
      throw new Error('no text')
    },
    log: {
      answer: (_, status) => statuses.push(status),
      parserRefusal: doNothing,
      failure: (_, cause) => failures.push(cause),
    },
  })
  const socket = await openSocket(t, server)
  const received = collect(socket)
  socket.write('DELETE / HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(t, async () => (await openConnections(server)) === 0)
  assert.equal(received.text, '')
  assert.equal(failures.length, 1)
  assert.deepEqual(statuses, [500])
})

test('the keep-alive timeout closes a connection after an answer, but not before the first answer', {
  timeout: 60_000,
}, async (t) => {
  const server = await startListener(t, { limits: { keepAliveTimeout: 50 } })
  const answered = await openSocket(t, server)
  const silent = await openSocket(t, server)
  const sending = await openSocket(t, server)
  const ended = once(answered, 'end')
  for (const socket of [answered, silent, sending]) collect(socket)
  answered.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  sending.write(`POST / HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n`)
  await ended
  await sleep(2_500)
  assert.equal(await openConnections(server), 2)
})

test('an answer states how long its connection may be idle, unless the connection closes', {
  timeout: 60_000,
}, async (t) => {
  for (const body of ['x', Readable.from(['x'])]) {
    const server = await startListener(t, { fallback: async () => ({ status: 200, headers: [], body }) })
    const socket = await openSocket(t, server)
    const received = collect(socket)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(t, async () => received.text.includes('x'))
    assert.match(received.text, /^Keep-Alive: timeout=5\r$/m)
    const last = await openSocket(t, server)
    const farewell = collect(last)
    last.write('HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await once(last, 'end')
    assert.doesNotMatch(farewell.text, /Keep-Alive/)
  }
})

test('a client that sends only blank lines after an answer does not keep its connection open', {
  timeout: 60_000,
}, async (t) => {
  const server = await startListener(t, { limits: { ...shortLimits, keepAliveTimeout: 50 } })
  const socket = await openSocket(t, server)
  const received = collect(socket)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const drip = setInterval(() => socket.write('\r\n'), 50)
  t.after(() => clearInterval(drip))
  await until(t, async () => (await openConnections(server)) === 0)
  assert.match(received.text, /^HTTP\/1\.1 204 /)
})

test('connections are limited per network and in total', {
  timeout: 60_000,
}, async (t) => {
  let refused = 0
  const connectionLimits = {
    maxInTotal: 6,
    maxPerNetwork: 2,
    isProxy: (address: string) => address === '127.0.0.9',
    onRefused: () => refused++,
  }
  const server = await startListener(t, { connectionLimits })
  const served = async (from: string) => (await isServed(t, server, from)).isServed
  const first = await isServed(t, server, '127.0.0.1')
  assert.deepEqual(
    [first.isServed, await served('127.0.0.1'), await served('127.0.0.1')],
    [true, true, false],
  )
  assert.equal(await served('127.0.0.2'), true, 'another network')
  first.socket.destroy()
  await until(t, async () => (await openConnections(server)) === 2)
  assert.equal(await served('127.0.0.1'), true, 'in place of the one that left')
  for (let times = 0; times < 3; times++)
    assert.equal(await served('127.0.0.9'), true, 'a proxy, beyond the limit per network')
  assert.equal(refused, 1)
  assert.equal(await served('127.0.0.3'), false, 'beyond the total')
  assert.equal(refused, 2)
})
