import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Exchange } from './exchange.ts'
import { send } from './send.ts'

const chunks = 400

const body = async function* (chunk: string) {
  for (let count = 0; count < chunks; count++) {
    yield chunk
    await turn()
  }
}

for (const [width, chunk] of [
  ['one byte', 'a'.repeat(90_000)],
  ['three bytes', 'あ'.repeat(30_000)],
] as const) {
  test(`a client that pauses reading gets all of a streamed list with ${width} per character`, async (t) => {
    const server = createServer((incoming, outgoing) => {
      const exchange = { incoming, outgoing, method: 'GET', track: 'track', extraHeaders: [] }
      void send(exchange as unknown as Exchange, { status: 200, headers: [], body: body(chunk) }, false)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    t.after(() => {
      socket.destroy()
      server.close()
    })
    let sizeBytes = 0
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await once(socket, 'connect')
    await sleep(300)
    socket.on('data', (bytes) => {
      sizeBytes += bytes.length
    })
    await Promise.race([once(socket, 'close'), sleep(90_000, undefined, { ref: false })])
    assert.ok(sizeBytes > chunks * 90_000, `${sizeBytes} bytes`)
  })
}
