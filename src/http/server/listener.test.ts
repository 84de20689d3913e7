import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { commonWords } from '#core/messages.ts'
import { unwantedLimitBytes } from '#http/limits.ts'
import { head, isServed, type Listening, opened, reading, started, until, unused } from './listener.suite.ts'

const quick = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 }

const held = (server: Listening) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

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

for (const [what, size, statuses] of [
  ['as long as anybody takes off is served', unwantedLimitBytes, ['204', '204']],
  ['a byte longer is not', unwantedLimitBytes + 1, ['204']],
] as const)
  test(`what comes behind a body that nobody wants and that is ${what}`, {
    timeout: 20_000,
  }, async (t) => {
    const server = await started(t)
    const socket = await opened(t, server)
    const got = reading(socket)
    socket.write(`PUT / HTTP/1.1\r\n${head}Content-Length: ${size}\r\n\r\n`)
    socket.write('x'.repeat(size))
    socket.end(`GET / HTTP/1.1\r\n${head}\r\n`)
    await once(socket, 'end')
    assert.deepEqual(
      [...got.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      statuses,
    )
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

test('behind a body that nobody wants and that does not end no request is served', {
  timeout: 20_000,
}, async (t) => {
  const places: string[] = []
  const server = await started(t, {
    observe: ({ method, target }, status) => places.push(`${method} ${target.path} ${status}`),
  })
  const socket = await opened(t, server)
  const got = reading(socket)
  socket.write(`PUT /first HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`)
  await until(t, async () => places.length === 1)
  for (let sent = 0; sent < unwantedLimitBytes; sent += 65_536) socket.write(chunk)
  await sleep(100)
  socket.write(`1\r\nx\r\n0\r\n\r\nPUT /second HTTP/1.1\r\n${head}Content-Length: 0\r\n\r\n`)
  await once(socket, 'end')
  assert.deepEqual(places, ['PUT /first 204', 'PUT  408'])
  assert.equal(got.text.split('HTTP/1.1 ').length, 2)
})

test('a refusal that finds no words is in the log, and its connection ends', {
  timeout: 20_000,
}, async (t) => {
  const failures: unknown[] = []
  const statuses: number[] = []
  const server = await started(t, {
    rules: () => ({ words: {} as typeof commonWords, locale: 'en', errorsUrl: '', basePath: '' }),
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

test('one network has so many connections and no more, and a proxy as many as there are', {
  timeout: 20_000,
}, async (t) => {
  let refused = 0
  const bounds = {
    max: 5,
    maxPerNetwork: 2,
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
