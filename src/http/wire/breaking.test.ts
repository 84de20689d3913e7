import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { collect, doNothing, head, openSocket, startListener, until } from '#test/listener.ts'

const faults: Readonly<Record<string, readonly string[]>> = {
  'a broken chunk in the first packet': [`Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  'a broken chunk in a later packet': ['Transfer-Encoding: chunked\r\n\r\n', 'zz\r\n'],
  'a body that ends half-way': ['Content-Length: 9\r\n\r\n{', ''],
}

for (const method of ['POST', 'DELETE'])
  for (const [fault, packets] of Object.entries(faults))
    test(`${method} with ${fault} is answered with the track that it sent, and logged once`, {
      timeout: 60_000,
    }, async (t) => {
      const logged: unknown[] = []
      const server = await startListener(t, {
        log: {
          answer: ({ track }, status) => logged.push([track, status]),
          parserRefusal: (track, status) => logged.push(['refused', track, status]),
          failure: doNothing,
        },
      })
      const socket = await openSocket(t, server)
      const received = collect(socket)
      const begun = once(server, 'request')
      const [first = '', later] = packets
      socket.write(`${method} / HTTP/1.1\r\nX-Track: mine\r\nAccept: application/xml\r\n${head}${first}`)
      if (later !== undefined) {
        // A DELETE is refused before its body has arrived.
        await (method === 'DELETE' ? until(t, async () => received.text !== '') : begun)
        if (later === '') socket.end()
        else socket.write(later)
      }
      if (!socket.readableEnded) await once(socket, 'end')
      const status = method === 'POST' ? 400 : 403
      assert.match(received.text, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(received.text, /^X-Track: mine\r$/m)
      assert.match(received.text, /^Content-Type: application\/xml\r$/m)
      // The answer cannot announce that the connection closes if it is sent before the body breaks off.
      const announcesClose = method === 'POST' || packets.length === 1
      assert.equal(/^Connection: close\r$/m.test(received.text), announcesClose)
      assert.equal(received.text.match(/HTTP\/1\.1/g)?.length, 1)
      assert.deepEqual(logged, [['mine', status]])
    })

test('a request that takes too long gets 408 with the track that it sent', { timeout: 60_000 }, async (t) => {
  const server = await startListener(t, {
    limits: { headersTimeout: 1_000, requestTimeout: 1_500, connectionsCheckingInterval: 50 },
  })
  const socket = await openSocket(t, server)
  const received = collect(socket)
  socket.write(`POST / HTTP/1.1\r\nX-Track: mine\r\n${head}Content-Length: 9\r\n\r\n{`)
  await once(socket, 'end')
  assert.match(received.text, /^HTTP\/1\.1 408 /)
  assert.match(received.text, /^X-Track: mine\r$/m)
})

test('a broken request behind an answered one gets 400 with the track that it sent', {
  timeout: 60_000,
}, async (t) => {
  const server = await startListener(t)
  const socket = await openSocket(t, server)
  const received = collect(socket)
  const broken = `POST / HTTP/1.1\r\nX-Track: second\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Track: first\r\n\r\n${broken}`)
  await once(socket, 'end')
  assert.deepEqual(
    [...received.text.matchAll(/HTTP\/1\.1 (\d{3}).*?X-Track: (\w+)/gs)].map(([, status, track]) => [
      status,
      track,
    ]),
    [
      ['204', 'first'],
      ['400', 'second'],
    ],
  )
})
