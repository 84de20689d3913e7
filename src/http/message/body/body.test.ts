import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { isBodyComplete } from '#http/wire/exchange.ts'
import { collect, doNothing, head, openSocket, startListener, until } from '#test/listener.ts'
import { readBody } from './body.ts'
import { memoryBudget } from './memory-budget.ts'

test('isBodyComplete is true for a body sent with its head, and false for one sent later', {
  timeout: 60_000,
}, async (t) => {
  const arrived: boolean[] = []
  const server = await startListener(t, {
    fallback: async (exchange) => {
      arrived.push(await isBodyComplete(exchange))
      await readBody(exchange, { types: ['application/json'], limitBytes: 1024 })
      return { status: 204, headers: [] }
    },
  })
  const socket = await openSocket(t, server)
  const received = collect(socket)
  const answers = (count: number) => async () => received.text.split('HTTP/1.1 204').length === count + 1
  const request = `POST / HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n`
  socket.write(`${request}{}`)
  await until(t, answers(1))
  socket.write(request)
  await until(t, async () => arrived.length === 2)
  socket.write('{}')
  await until(t, answers(2))
  assert.deepEqual(arrived, [true, false])
})

test('a connection reset in the middle of a body, before it is read, is logged as 408', {
  timeout: 60_000,
}, async (t) => {
  const statuses: number[] = []
  const begun = Promise.withResolvers<void>()
  const server = await startListener(t, {
    log: { answer: (_, status) => statuses.push(status), parserRefusal: doNothing, failure: doNothing },
    fallback: async (exchange) => {
      begun.resolve()
      await new Promise((closed) => exchange.incoming.socket.once('close', closed))
      await sleep(20)
      await readBody(exchange, { types: ['application/json'], limitBytes: 1024 })
      return { status: 204, headers: [] }
    },
  })
  const socket = await openSocket(t, server)
  socket.write(`POST / HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n{`)
  await begun.promise
  socket.resetAndDestroy()
  await until(t, async () => statuses.length === 1)
  assert.deepEqual(statuses, [408])
})

const bodyRules = { types: ['application/json'], limitBytes: 64 * 1024 } as const

test('once arriving bodies fill the memory budget, large ones get 503 and small ones pass, until memory is free again', {
  timeout: 60_000,
}, async (t) => {
  const rules = { ...bodyRules, memory: memoryBudget(0) }
  const statuses: number[] = []
  let arrivedBytes = 0
  const server = await startListener(t, {
    log: { answer: (_, status) => statuses.push(status), parserRefusal: doNothing, failure: doNothing },
    fallback: async (exchange) => {
      exchange.incoming.on('data', (chunk: Buffer) => {
        arrivedBytes += chunk.length
      })
      await readBody(exchange, rules)
      return { status: 204, headers: [] }
    },
  })
  const begin = async (declaredBytes: number, sentBytes: number) => {
    const socket = await openSocket(t, server)
    const received = collect(socket)
    socket.write(`POST / HTTP/1.1\r\n${head}Content-Length: ${declaredBytes}\r\n\r\n`)
    await sleep(20)
    socket.write('x'.repeat(sentBytes))
    return {
      socket,
      received,
      answered: (status: number) => until(t, async () => received.text.includes(` ${status} `)),
    }
  }
  const unfinished = () => begin(bodyRules.limitBytes, bodyRules.limitBytes - 1)
  const holding = [await unfinished(), await unfinished(), await unfinished(), await unfinished()]
  await until(t, async () => arrivedBytes === holding.length * (bodyRules.limitBytes - 1))
  for (let times = 0; times < 2; times++) {
    const late = await unfinished()
    await late.answered(503)
    assert.match(late.received.text, /Retry-After: 1\r\n/i)
    assert.match(late.received.text, /e\.xx\.fw\.9004/)
    const small = await begin(4_000, 4_000)
    await small.answered(204)
  }
  holding[0]?.socket.write('x')
  await holding[0]?.answered(204)
  holding[1]?.socket.destroy()
  await until(t, async () => statuses.includes(400))
  for (let times = 0; times < 8; times++) {
    const next = await unfinished()
    next.socket.write('x')
    await next.answered(204)
  }
})

test('a gzip body reserves memory for its largest inflated size before inflation', {
  timeout: 60_000,
}, async (t) => {
  const rules = { ...bodyRules, memory: memoryBudget(0) }
  const allHere = Promise.withResolvers<void>()
  let arrived = 0
  const server = await startListener(t, {
    fallback: async (exchange) => {
      await isBodyComplete(exchange)
      arrived += 1
      if (arrived === 8) allHere.resolve()
      await allHere.promise
      await readBody(exchange, rules)
      return { status: 204, headers: [] }
    },
  })
  const bytes = gzipSync('x'.repeat(bodyRules.limitBytes))
  const fields = `${head}Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`
  const send = async () => {
    const socket = await openSocket(t, server)
    const received = collect(socket)
    socket.write(Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${fields}`), bytes]))
    await until(t, async () => received.text !== '')
    return received.text.slice(9, 12)
  }
  const statuses = await Promise.all(Array.from({ length: 8 }, send))
  assert.deepEqual(statuses.sort(), ['204', '204', '204', '204', '503', '503', '503', '503'])
  assert.equal(await send(), '204')
})

test('a body in one-byte chunks takes less than ten times its size on the heap, and is read whole', {
  timeout: 60_000,
}, async (t) => {
  const sizeBytes = 300_000
  const read: Buffer[] = []
  let arrivedBytes = 0
  const server = await startListener(t, {
    fallback: async (exchange) => {
      exchange.incoming.on('data', (chunk: Buffer) => {
        arrivedBytes += chunk.length
      })
      read.push((await readBody(exchange, { types: ['application/json'], limitBytes: sizeBytes })).bytes)
      return { status: 204, headers: [] }
    },
  })
  const socket = await openSocket(t, server)
  socket.write(`POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`)
  const before = usedBytes()
  for (let at = 0; at < sizeBytes; at += 30_000) {
    socket.write(Array.from({ length: 30_000 }, (_, more) => `1\r\n${(at + more) % 7}\r\n`).join(''))
    await until(t, async () => arrivedBytes >= at)
  }
  await until(t, async () => arrivedBytes === sizeBytes)
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
