import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { closeAll } from './listening.ts'

const limitMs = 1_000

test('a stop waits for the requests of both listeners in parallel', { timeout: 60_000 }, async (t) => {
  const [api, management] = [createServer(), createServer()]
  const ended: Promise<unknown>[] = []
  for (const server of [api, management]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined).resume()
    ended.push(once(socket, 'close'))
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n')
    await once(server, 'request')
  }
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let isOver = false
  const over = closeAll({ api, management }, [api], limitMs).then(() => {
    isOver = true
  })
  t.mock.timers.tick(limitMs - 1)
  await turn()
  assert.equal(isOver, false)
  t.mock.timers.tick(1)
  await Promise.all([over, ...ended])
})
