import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { authentication, options, reasonOf, server, welcome } from '#test/postgres-wire.ts'
import { connect } from './connection.ts'

const refusals: [string, Buffer, RegExp][] = [
  [
    'a server that accepts the login before it has proved its identity',
    authentication(10, 'SCRAM-SHA-256\0\0'),
    /did not prove/,
  ],
  ['an unknown authentication method', authentication(7), /unknown method of authentication/],
  ['an unknown SASL mechanism', authentication(10, 'SCRAM-SHA-512\0\0'), /unknown method of authentication/],
]

for (const [peer, first, expected] of refusals) {
  test(`connecting to ${peer} fails`, async (t) => {
    const address = await server(t, first, (socket) => socket.write(welcome))
    await assert.rejects(connect(address, options), (error) => expected.test(reasonOf(error)))
  })
}

for (const [form, first] of [
  ['in clear text', authentication(3)],
  ['hashed', authentication(5, 'salt')],
  ['by SCRAM', authentication(10, 'SCRAM-SHA-256\0\0')],
] as const)
  test(`a server that asks for a password ${form} gets no answer if none is given`, async (t) => {
    const received: string[] = []
    const address = await server(t, first, (_, message) => received.push(message))
    await assert.rejects(connect({ ...address, password: '' }, options), (error) =>
      /asks for a password, and none is given/.test(reasonOf(error)),
    )
    assert.deepEqual(received, [])
  })

const challenges: [string, (nonce: string) => string][] = [
  ['adds nothing to the nonce', (nonce) => `r=${nonce},s=c2FsdA==,i=4096`],
  ['brings another nonce', () => 'r=another,s=c2FsdA==,i=4096'],
  ['asks for no iterations', (nonce) => `r=${nonce}more,s=c2FsdA==,i=0`],
  ['asks for too many iterations', (nonce) => `r=${nonce}more,s=c2FsdA==,i=10000001`],
]

for (const [behaviour, challenge] of challenges)
  test(`a server that ${behaviour} gets no proof of the password`, async (t) => {
    const received: string[] = []
    const address = await server(t, authentication(10, 'SCRAM-SHA-256\0\0'), (socket, message) => {
      received.push(message)
      const nonce = /r=(.*)$/.exec(message)?.[1] ?? ''
      socket.write(authentication(11, challenge(nonce)))
    })
    await assert.rejects(
      connect(address, options),
      (error) => error instanceof Error && /a different request/.test(String(error.cause)),
    )
    assert.equal(received.length, 1)
  })

const encryptions: [string, RegExp, Buffer | undefined, ((socket: Socket) => void)?][] = [
  ['connecting fails if the server disconnects when asked for encryption', /server disconnected/, undefined],
  [
    'connecting fails if the server offers encryption and then does not encrypt',
    /wrong version number|packet length/,
    Buffer.from('S'),
    (socket) => socket.write(welcome),
  ],
  [
    'connecting fails if the server offers encryption and then disconnects',
    /disconnected before secure/,
    Buffer.from('S'),
    (socket) => socket.destroy(),
  ],
  [
    'plaintext after the answer to the encryption request is refused',
    /more than its one-byte answer/,
    Buffer.from('Sand more'),
  ],
]

const encryption = { isOptional: false, isDirect: false, tls: { rejectUnauthorized: false } }

for (const [name, expected, offered, later] of encryptions)
  test(name, async (t) => {
    const address = await server(t, offered, later)
    await assert.rejects(connect({ ...address, encryption }, options), (error) => {
      assert.equal(error instanceof Error && error.name, 'ConnectionLost')
      assert.match(reasonOf(error), expected)
      return true
    })
  })

test('connecting times out if the server offers encryption and then stays silent', async (t) => {
  const address = await server(t, Buffer.from('S'))
  await assert.rejects(connect({ ...address, encryption }, { ...options, connectMs: 100 }), (error) => {
    assert.equal(error instanceof Error && error.name, 'ConnectionLost')
    assert.equal(reasonOf(error), 'the server did not answer within 0.1 s')
    return true
  })
})

test('connecting times out if the server sends nothing', async (t) => {
  const address = await server(t, Buffer.alloc(0))
  await assert.rejects(connect(address, { ...options, connectMs: 50 }), (error) => {
    assert.equal(Object(error).code, 'ETIMEDOUT')
    assert.equal(reasonOf(error), 'the server did not answer within 0.05 s')
    return true
  })
})
