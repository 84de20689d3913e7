import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { head, opened, reading, started, until, unused } from '#http/server/listener.suite.ts'
import { hasArrived, readBody } from './body.ts'
import { heldBytes } from './held-bytes.ts'

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

test('whoever goes away amid its body, before anybody reads it, leaves nothing behind', {
  timeout: 20_000,
}, async (t) => {
  const statuses: number[] = []
  const server = await started(t, {
    log: { answered: (_, status) => statuses.push(status), refused: unused, failed: unused },
    otherwise: async (exchange) => {
      await new Promise((gone) => exchange.incoming.socket.once('close', gone))
      await sleep(20)
      await readBody(exchange, { types: ['application/json'], limitBytes: 1024 })
      return { status: 204, headers: [] }
    },
  })
  const socket = await opened(t, server)
  socket.write(`POST / HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n{`)
  await sleep(50)
  socket.resetAndDestroy()
  await until(t, async () => statuses.length === 1)
  assert.deepEqual(statuses, [408])
})

const roomy = { types: ['application/json'], limitBytes: 64 * 1024 } as const

test('bodies on their way that find no room are refused as overload, small ones go on, and room comes back', {
  timeout: 20_000,
}, async (t) => {
  const rules = { ...roomy, held: heldBytes(0) }
  const statuses: number[] = []
  const server = await started(t, {
    log: { answered: (_, status) => statuses.push(status), refused: unused, failed: unused },
    otherwise: async (exchange) => {
      await readBody(exchange, rules)
      return { status: 204, headers: [] }
    },
  })
  const begun = async (declaredBytes: number, sentBytes: number) => {
    const socket = await opened(t, server)
    const got = reading(socket)
    socket.write(`POST / HTTP/1.1\r\n${head}Content-Length: ${declaredBytes}\r\n\r\n`)
    await sleep(20)
    socket.write('x'.repeat(sentBytes))
    return { socket, got, said: (status: number) => until(t, async () => got.text.includes(` ${status} `)) }
  }
  const full = () => begun(roomy.limitBytes, roomy.limitBytes - 1)
  const holding = [await full(), await full(), await full(), await full()]
  await sleep(100)
  for (let times = 0; times < 2; times++) {
    const late = await full()
    await late.said(503)
    assert.match(late.got.text, /Retry-After: 1\r\n/i)
    assert.match(late.got.text, /e\.xx\.fw\.9004/)
    const small = await begun(4_000, 4_000)
    await small.said(204)
  }
  holding[0]?.socket.write('x')
  await holding[0]?.said(204)
  holding[1]?.socket.destroy()
  await until(t, async () => statuses.includes(400))
  for (let times = 0; times < 8; times++) {
    const next = await full()
    next.socket.write('x')
    await next.said(204)
  }
})

test('compressed bodies find room for what they may become before they are inflated', {
  timeout: 20_000,
}, async (t) => {
  const rules = { ...roomy, held: heldBytes(0) }
  const all = Promise.withResolvers<void>()
  let come = 0
  const server = await started(t, {
    otherwise: async (exchange) => {
      await hasArrived(exchange)
      come += 1
      if (come === 8) all.resolve()
      await all.promise
      await readBody(exchange, rules)
      return { status: 204, headers: [] }
    },
  })
  const bytes = gzipSync('x'.repeat(roomy.limitBytes))
  const lines = `${head}Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`
  const send = async () => {
    const socket = await opened(t, server)
    const got = reading(socket)
    socket.write(Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines}`), bytes]))
    await until(t, async () => got.text !== '')
    return got.text.slice(9, 12)
  }
  const statuses = await Promise.all(Array.from({ length: 8 }, send))
  assert.deepEqual(statuses.sort(), ['204', '204', '204', '204', '503', '503', '503', '503'])
  assert.equal(await send(), '204')
})

test('a body in chunks of one byte holds little more than its bytes, and is read whole', {
  timeout: 20_000,
}, async (t) => {
  const sizeBytes = 300_000
  const read: Buffer[] = []
  let come = 0
  const server = await started(t, {
    otherwise: async (exchange) => {
      exchange.incoming.on('data', (chunk: Buffer) => {
        come += chunk.length
      })
      read.push((await readBody(exchange, { types: ['application/json'], limitBytes: sizeBytes })).bytes)
      return { status: 204, headers: [] }
    },
  })
  const socket = await opened(t, server)
  socket.write(`POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`)
  const before = usedBytes()
  for (let at = 0; at < sizeBytes; at += 30_000) {
    socket.write(Array.from({ length: 30_000 }, (_, more) => `1\r\n${(at + more) % 7}\r\n`).join(''))
    await until(t, async () => come >= at)
  }
  await until(t, async () => come === sizeBytes)
  const held = usedBytes() - before
  assert.ok(held < 10 * sizeBytes, `${held} bytes`)
  socket.write('0\r\n\r\n')
  await until(t, async () => read.length === 1)
  assert.equal(read[0]?.toString(), Array.from({ length: sizeBytes }, (_, at) => at % 7).join(''))
})

/** The heap still in use after a garbage collection. */
const usedBytes = () => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
