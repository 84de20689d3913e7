import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasArrived, readBody } from './body.ts'
import { head, opened, reading, started, until, unused } from './listener.suite.ts'

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
