import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { commonWords } from '#core/messages.ts'
import { Problem } from '#core/problem.ts'
import { hasArrived, readBody } from './body.ts'
import { type ListenerParts, listener } from './listener.ts'

const quick = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 }

const unused = () => undefined

/** A listener that reads a body of at most a mebibyte and answers nothing. */
const started = async (t: TestContext, parts: Partial<ListenerParts> = {}) => {
  const server = listener({
    mounts: [],
    otherwise: async (exchange) => {
      if (exchange.method === 'POST')
        await readBody(exchange, { types: ['application/json'], limitBytes: 1024 * 1024 })
      if (exchange.method === 'DELETE') throw new Problem('forbidden')
      return { status: 204, headers: [] }
    },
    rules: { words: commonWords, locale: 'en', errorsUrl: '' },
    log: { answered: unused, refused: unused, failed: unused },
    isDraining: () => false,
    ...parts,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return server
}

type Listening = Awaited<ReturnType<typeof started>>

const opened = async (t: TestContext, server: Listening, localAddress = '127.0.0.1') => {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  socket.on('error', unused)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

const held = (server: Listening) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

/** Looks until it is so, or as long as the runner lets it. */
const until = async (t: TestContext, isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await sleep(20, undefined, { signal: t.signal })
}

const reading = (socket: Socket) => {
  const got = { text: '' }
  socket.setEncoding('latin1').on('data', (text) => {
    got.text += text
  })
  return got
}

const head = 'Host: x\r\nContent-Type: application/json\r\n'

const tardy: Readonly<Record<string, string>> = {
  'nothing at all': '',
  'half a head': `GET / HTTP/1.1\r\n${head}`,
  'half a body': `POST / HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n{`,
  'broken HTTP': 'GET / HTTP/1.1\r\nHost : x\r\n\r\n',
}

test('whoever is refused before a request is there is told so and let go, also if it never closes', {
  timeout: 20_000,
}, async (t) => {
  const server = await started(t, { limits: quick })
  const said = []
  for (const beginning of Object.values(tardy)) {
    const socket = await opened(t, server)
    said.push(reading(socket))
    socket.write(beginning)
  }
  await until(t, async () => (await held(server)) === 0)
  assert.deepEqual(
    said.map(({ text }) => text.slice(0, 12)),
    ['HTTP/1.1 408', 'HTTP/1.1 408', 'HTTP/1.1 408', 'HTTP/1.1 400'],
  )
})

const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`

const unwanted: readonly (readonly [string, string, number])[] = [
  ['POST', head, 413],
  ['DELETE', head, 403],
]

for (const [method, fields, status] of unwanted)
  test(`${status}: whoever sends 3 MB in chunks first and reads then gets its answer`, {
    timeout: 30_000,
  }, async (t) => {
    const server = await started(t)
    for (let times = 0; times < 10; times++) {
      const socket = await opened(t, server)
      socket.write(`${method} / HTTP/1.1\r\n${fields}Transfer-Encoding: chunked\r\n\r\n`)
      for (let count = 0; count < 48; count++)
        if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      const got = reading(socket)
      await once(socket, 'end')
      socket.end()
      assert.equal(got.text.slice(0, 12), `HTTP/1.1 ${status}`)
    }
    await until(t, async () => (await held(server)) === 0)
  })

test('behind a body that was too long no request is served', { timeout: 20_000 }, async (t) => {
  const places: string[] = []
  const server = await started(t, {
    observe: ({ target }, status) => places.push(`${target.path} ${status}`),
  })
  const socket = await opened(t, server)
  socket.write(`POST /first HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`)
  const got = reading(socket)
  for (let count = 0; count < 48; count++) socket.write(chunk)
  socket.end(`0\r\n\r\nGET /second HTTP/1.1\r\n${head}\r\n`)
  await once(socket, 'end')
  assert.match(got.text, /^HTTP\/1\.1 413 /)
  assert.deepEqual(places, ['/first 413'])
})

test('a body that comes with its head is there at once, and one that comes later is told apart', {
  timeout: 20_000,
}, async (t) => {
  const arrived: boolean[] = []
  const server = await started(t, {
    otherwise: async (exchange) => {
      arrived.push(await hasArrived(exchange))
      await readBody(exchange, { types: ['application/json'], limitBytes: 1024 })
      return { status: 204, headers: [] }
    },
  })
  const socket = await opened(t, server)
  const got = reading(socket)
  const answers = (count: number) => async () => got.text.split('HTTP/1.1 204').length === count + 1
  const request = `POST / HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n`
  socket.write(`${request}{}`)
  await until(t, answers(1))
  socket.write(request)
  await until(t, async () => arrived.length === 2)
  socket.write('{}')
  await until(t, answers(2))
  assert.deepEqual(arrived, [true, false])
})

/** Tells which requests were begun and answered, in order; the first takes until it is let go. */
const oneByOne = async (t: TestContext, parts: Partial<ListenerParts> = {}) => {
  const events: string[] = []
  const { promise: untilLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const server = await started(t, {
    otherwise: async ({ method, incoming }) => {
      events.push(`begin ${method} ${incoming.url}`)
      if (incoming.url === '/1') await untilLetGo
      events.push(`end ${method} ${incoming.url}`)
      return { status: 204, headers: [] }
    },
    ...parts,
  })
  const socket = await opened(t, server)
  const ask = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\n${head}\r\n`
  return { server, socket, ask, events, letGo }
}

test('what comes in one breath is done one by one, in its order', { timeout: 20_000 }, async (t) => {
  const { socket, ask, events, letGo } = await oneByOne(t)
  const got = reading(socket)
  const asked = ['PUT /1', 'GET /2', 'DELETE /3', 'GET /4']
  socket.write(asked.map((each) => ask(...(each.split(' ') as [string, string]))).join(''))
  await sleep(50)
  assert.deepEqual(events, ['begin PUT /1'])
  letGo()
  await until(t, async () => got.text.split('HTTP/1.1 204').length === 5)
  assert.deepEqual(
    events,
    asked.flatMap((each) => [`begin ${each}`, `end ${each}`]),
  )
})

test('what stands behind a last answer is never begun', { timeout: 20_000 }, async (t) => {
  const { socket, ask, events, letGo } = await oneByOne(t, { isDraining: () => true })
  const got = reading(socket)
  socket.write(ask('GET', '/1') + ask('PUT', '/2') + ask('PUT', '/3'))
  await sleep(50)
  letGo()
  await once(socket, 'end')
  assert.equal(got.text.split('HTTP/1.1 ').length, 2)
  assert.deepEqual(events, ['begin GET /1', 'end GET /1'])
})

test('what waits on a connection that breaks off is never begun, and is in the log', {
  timeout: 20_000,
}, async (t) => {
  const statuses: number[] = []
  const log = {
    answered: (_: unknown, status: number) => statuses.push(status),
    refused: unused,
    failed: unused,
  }
  const { socket, ask, events, letGo } = await oneByOne(t, { log })
  socket.write(ask('GET', '/1') + ask('PUT', '/2') + ask('PUT', '/3'))
  await sleep(50)
  socket.destroy()
  await until(t, async () => statuses.length === 2)
  letGo()
  await until(t, async () => statuses.length === 3)
  assert.deepEqual(events, ['begin GET /1', 'end GET /1'])
  assert.deepEqual(statuses.slice(0, 2), [408, 408])
})

test('whoever goes away amid its body, before anybody reads it, leaves nothing behind', {
  timeout: 20_000,
}, async (t) => {
  const statuses: number[] = []
  const server = await started(t, {
    log: { answered: (_, status) => statuses.push(status), refused: unused, failed: unused },
    otherwise: async (exchange) => {
      await once(exchange.incoming.socket, 'close')
      await sleep(20)
      await readBody(exchange, { types: ['application/json'], limitBytes: 1024 })
      return { status: 204, headers: [] }
    },
  })
  const socket = await opened(t, server)
  socket.write(`POST / HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n{`)
  await sleep(50)
  socket.destroy()
  await until(t, async () => statuses.length === 1)
  assert.deepEqual(statuses, [408])
})

test('a refusal that finds no words is in the log, and its connection ends', {
  timeout: 20_000,
}, async (t) => {
  const failures: unknown[] = []
  const statuses: number[] = []
  const server = await started(t, {
    rules: { words: {} as typeof commonWords, locale: 'en', errorsUrl: '' },
    log: {
      answered: (_, status) => statuses.push(status),
      refused: unused,
      failed: (_, cause) => failures.push(cause),
    },
  })
  const socket = await opened(t, server)
  const got = reading(socket)
  socket.write('DELETE / HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(t, async () => (await held(server)) === 0)
  assert.equal(got.text, '')
  assert.equal(failures.length, 1)
  assert.deepEqual(statuses, [500])
})

test('a connection on which nothing comes after an answer is cut, and not before one', {
  timeout: 20_000,
}, async (t) => {
  const server = await started(t, { limits: { keepAliveTimeout: 50 } })
  const answered = await opened(t, server)
  const silent = await opened(t, server)
  const sending = await opened(t, server)
  const ended = once(answered, 'end')
  for (const socket of [answered, silent, sending]) reading(socket)
  answered.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  sending.write(`POST / HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n`)
  await ended
  await sleep(2_500)
  assert.equal(await held(server), 2)
})

test('blank lines after an answer keep no connection', { timeout: 20_000 }, async (t) => {
  const server = await started(t, { limits: { ...quick, keepAliveTimeout: 50 } })
  const socket = await opened(t, server)
  const got = reading(socket)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const drip = setInterval(() => socket.write('\r\n'), 50)
  t.after(() => clearInterval(drip))
  await until(t, async () => (await held(server)) === 0)
  assert.match(got.text, /^HTTP\/1\.1 204 /)
})

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** Whether a connection is served; if so it stays. */
const isServed = async (t: TestContext, server: Listening, from: string) => {
  const socket = await opened(t, server, from)
  const got = reading(socket)
  socket.write(get)
  await Promise.race([once(socket, 'data'), once(socket, 'close'), once(socket, 'end')])
  return { isServed: got.text.startsWith('HTTP/1.1 204 '), socket }
}

test('one network has so many connections and no more, and a proxy as many as there are', {
  timeout: 20_000,
}, async (t) => {
  let refused = 0
  const bounds = {
    most: 5,
    mostOfNetwork: 2,
    isProxy: (address: string) => address === '127.0.0.9',
    refused: () => refused++,
  }
  const server = await started(t, { bounds })
  const served = async (from: string) => (await isServed(t, server, from)).isServed
  const first = await isServed(t, server, '127.0.0.1')
  assert.deepEqual(
    [first.isServed, await served('127.0.0.1'), await served('127.0.0.1')],
    [true, true, false],
  )
  assert.equal(await served('127.0.0.2'), true, 'another network')
  first.socket.destroy()
  await until(t, async () => (await held(server)) === 2)
  assert.equal(await served('127.0.0.1'), true, 'in the place of the one that left')
  assert.deepEqual([await served('127.0.0.9'), await served('127.0.0.9')], [true, true])
  assert.equal(refused, 1)
  assert.equal(await served('127.0.0.3'), false, 'more than all')
  assert.equal(refused, 2)
})
