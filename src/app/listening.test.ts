import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { closeAll } from './listening.ts'

const limitMs = 1_000

test('a stop waits for the requests of both listeners in parallel', { timeout: 20_000 }, async () => {
  const [api, management] = [createServer(), createServer()]
  const ended: Promise<number>[] = []
  for (const server of [api, management]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined).resume()
    ended.push(new Promise((resolve) => socket.once('close', () => resolve(performance.now()))))
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n')
    await once(server, 'request')
  }
  const startedAt = performance.now()
  await closeAll({ api, management }, [api], limitMs)
  assert.ok(performance.now() - startedAt < 2 * limitMs)
  for (const endedAt of await Promise.all(ended)) assert.ok(endedAt - startedAt > 0.9 * limitMs)
})
