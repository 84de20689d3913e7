import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { connect } from './connection.ts'
import { ServerError } from './errors.ts'

const message = (type: string, ...parts: readonly (string | number[])[]) => {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  )
  const size = Buffer.alloc(4)
  size.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), size, body])
}
const authentication = (kind: number, rest = '') => message('R', [0, 0, 0, kind], rest)
const welcome = Buffer.concat([authentication(0), message('Z', 'I')])
const column = (name: string, type: number) => [
  ...Buffer.from(`${name}\0`),
  ...[0, 0, 0, 0, 0, 0, 0, 0, 0, type, 0, 0, 0, 0, 0, 0, 0, 0],
]
const value = (text: string) => [0, 0, 0, Buffer.byteLength(text), ...Buffer.from(text)]

/** A server that answers the first message with these bytes, or by disconnecting; `later` handles each further message. */
const server = async (
  t: TestContext,
  first: Buffer | undefined,
  later: (socket: Socket, received: string) => void = () => {},
) => {
  const listener = createServer((socket) => {
    socket.once('data', () => {
      if (first === undefined) return socket.end()
      socket.write(first)
      socket.on('data', (bytes) => later(socket, `${bytes}`))
    })
    socket.on('error', () => {})
    t.after(() => socket.destroy())
  }).listen(0, '127.0.0.1')
  t.after(() => listener.close())
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    ...{ host: '127.0.0.1', port, user: 'me', password: 'secret', database: 'data' },
    ...{ encryption: undefined, parameters: {} },
  }
}

const options = { parameters: {}, connectMs: 1_000, closed: () => {} }
const select = { text: 'SELECT', values: [], limitMs: 1_000 }

/** The message of the first cause. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.cause ? reasonOf(error.cause) : error.message) : ''

test('an answer that arrives byte by byte is understood', async (t) => {
  const answer = Buffer.concat([
    message('1'),
    message('t', [0, 0]),
    message('T', [0, 3], column('id', 25), column('size', 23), column('none', 25)),
    message('2'),
    message('D', [0, 3], value('é'), value('42'), [255, 255, 255, 255]),
    message('N', 'SWARNING\0VWARNING\0C01000\0Mcareful\0\0'),
    message('A', [0, 0, 0, 1], 'topic\0payload\0'),
    message('C', 'SELECT 1\0'),
    message('Z', 'I'),
  ])
  const heard: string[] = []
  const address = await server(t, welcome, async (socket) => {
    for (const byte of answer) {
      socket.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  const connection = await connect(address, {
    ...options,
    notified: (topic, payload) => heard.push(`${topic}: ${payload}`),
  })
  const { rows, tag, warning } = await connection.ask(select)
  assert.deepEqual([rows, tag, warning], [[{ id: 'é', size: 42, none: null }], 'SELECT 1', '01000 careful'])
  assert.deepEqual(heard, ['topic: payload'])
  await connection.end(100)
})

const refusals: [string, Buffer, RegExp][] = [
  [
    'a server that accepts before it has proved itself',
    authentication(10, 'SCRAM-SHA-256\0\0'),
    /did not prove/,
  ],
  ['an unknown authentication method', authentication(7), /not known here/],
  ['an unknown SASL mechanism', authentication(10, 'SCRAM-SHA-512\0\0'), /not known here/],
  [
    'a server that refuses the password',
    message('E', 'SFATAL\0VFATAL\0C28P01\0Mwrong password\0\0'),
    /wrong password/,
  ],
]

for (const [peer, first, expected] of refusals) {
  test(`no connection is made with ${peer}`, async (t) => {
    const address = await server(t, first, (socket) => socket.write(welcome))
    await assert.rejects(connect(address, options), (error) => expected.test(reasonOf(error)))
  })
}

for (const [way, first] of [
  ['in clear text', authentication(3)],
  ['hashed', authentication(5, 'salt')],
  ['by SCRAM', authentication(10, 'SCRAM-SHA-256\0\0')],
] as const)
  test(`a server that asks for a password ${way} gets none if there is none`, async (t) => {
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
  ['a server that disconnects when asked for encryption is given up', /server disconnected/, undefined],
  [
    'a server that offers encryption and then stays silent is given up',
    /did not answer within 0\.1 s/,
    Buffer.from('S'),
  ],
  [
    'a server that offers encryption and then does not encrypt is given up',
    /wrong version number|packet length/,
    Buffer.from('S'),
    (socket) => socket.write(welcome),
  ],
  [
    'a server that offers encryption and then disconnects is given up',
    /disconnected before secure/,
    Buffer.from('S'),
    (socket) => socket.destroy(),
  ],
  [
    'plaintext after the answer to the encryption request is refused',
    /answered before it was asked/,
    Buffer.from('Sand more'),
  ],
  ['a server without encryption is given up if encryption is required', /does not encrypt/, Buffer.from('N')],
]

for (const [name, expected, offered, later] of encryptions)
  test(name, async (t) => {
    const address = await server(t, offered, later)
    const encryption = { isOptional: false, isDirect: false, tls: { rejectUnauthorized: false } }
    const connecting = connect({ ...address, encryption }, { ...options, connectMs: 100 })
    await assert.rejects(connecting, (error) => {
      assert.equal(error instanceof Error && error.name, 'ConnectionLost')
      assert.match(reasonOf(error), expected)
      return true
    })
  })

test('a server that sends nothing is given up', async (t) => {
  const address = await server(t, Buffer.alloc(0))
  await assert.rejects(connect(address, { ...options, connectMs: 50 }), (error) => {
    assert.equal(Object(error).code, 'ETIMEDOUT')
    assert.equal(reasonOf(error), 'the server did not answer within 0.05 s')
    return true
  })
})

test('a statement without an answer in time ends the connection and fails all waiting ones', async (t) => {
  const address = await server(t, welcome)
  const closed = Promise.withResolvers<void>()
  const connection = await connect(address, { ...options, closed: () => closed.resolve() })
  const answers = await Promise.allSettled([
    connection.ask({ ...select, limitMs: 60_000 }),
    connection.ask({ ...select, limitMs: 20 }),
    connection.exec('SELECT', 60_000),
  ])
  await closed.promise
  assert.deepEqual(
    answers.map((answer) => answer.status === 'rejected' && answer.reason.name),
    ['ConnectionLost', 'ConnectionLost', 'ConnectionLost'],
  )
  await assert.rejects(connection.ask(select), { name: 'ConnectionLost' })
})

test('in a batch, statements behind a refused one fail, or are sent again if repeatable', async (t) => {
  const refused = message('E', 'SERROR\0VERROR\0C22012\0Mby zero\0\0')
  const done = (tag: string) =>
    Buffer.concat([message('1'), message('n'), message('2'), message('C', `${tag}\0`)])
  const ready = message('Z', 'I')
  const turns = [Buffer.concat([done('ONE'), refused, ready]), Buffer.concat([done('FOUR'), ready])]
  const address = await server(t, welcome, (socket) => socket.write(turns.shift() ?? ready))
  const connection = await connect(address, options)
  const answers = await Promise.allSettled([
    connection.ask({ ...select, text: 'one' }),
    connection.ask({ ...select, text: 'two' }),
    connection.ask({ ...select, text: 'three' }),
    connection.ask({ ...select, text: 'four', isRepeatable: true }),
  ])
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.tag : answer.reason.code)),
    ['ONE', '22012', '25P02', 'FOUR'],
  )
  assert.ok(answers[1]?.status === 'rejected' && answers[1].reason instanceof ServerError)
  await connection.end(100)
})

test('a statement whose plan is always outdated is sent five times, then fails', async (t) => {
  const old = message('E', 'SERROR\0VERROR\0C0A000\0Mold plan\0RRevalidateCachedQuery\0\0')
  let sent = 0
  const address = await server(t, welcome, (socket) => {
    if (++sent > 10) socket.destroy()
    else socket.write(Buffer.concat([old, message('Z', 'I')]))
  })
  const connection = await connect(address, options)
  await assert.rejects(connection.ask({ ...select, isRepeatable: true }), { code: '0A000' })
  assert.equal(sent, 5)
  await connection.end(100)
})

const malformed: [string, Buffer][] = [
  ['a size smaller than its own field', Buffer.from([0x44, 0, 0, 0, 3])],
  ['a negative size', Buffer.from([0x44, 255, 255, 255, 255])],
  ['an impossibly large size', Buffer.from([0x44, 127, 255, 255, 255])],
  ['an unterminated error', message('E', 'SERROR\0C')],
  ['a truncated row description', message('T', [0, 2], Buffer.from('id').toJSON().data)],
  ['a truncated row', Buffer.concat([message('T', [0, 1], column('id', 25)), message('D', [0, 1, 0])])],
]

for (const [fault, answer] of malformed)
  test(`a connection that receives ${fault} is given up`, async (t) => {
    const address = await server(t, welcome, (socket) => socket.write(answer))
    const connection = await connect(address, options)
    await assert.rejects(connection.ask(select), /the connection was lost/)
    await assert.rejects(connection.ask(select), /the connection was lost/)
  })

test('a statement that was parsed but not described is prepared again', async (t) => {
  const cancelled = message('E', 'SERROR\0VERROR\0C57014\0Mcancelled\0\0')
  const described = Buffer.concat([message('t', [0, 0]), message('T', [0, 1], column('id', 25))])
  const row = Buffer.concat([message('2'), message('D', [0, 1], value('a')), message('C', 'SELECT 1\0')])
  const turns = [
    Buffer.concat([message('1'), cancelled, message('Z', 'I')]),
    Buffer.concat([message('1'), described, row, message('Z', 'I')]),
  ]
  const address = await server(t, welcome, (socket, received) => {
    if (turns.length === 1) assert.match(received, /^P/)
    socket.write(turns.shift() ?? '')
  })
  const connection = await connect(address, options)
  await assert.rejects(connection.ask(select), { code: '57014' })
  assert.deepEqual((await connection.ask(select)).rows, [{ id: 'a' }])
  await connection.end(100)
})

test('an error keeps no text of the server that may contain the values of a row', async (t) => {
  const fields =
    'SERROR\0VERROR\0C23514\0Mviolates a check\0DFailing row contains (a secret).\0W$1 = a secret\0\0'
  const address = await server(t, welcome, (socket) =>
    socket.write(Buffer.concat([message('E', fields), message('Z', 'I')])),
  )
  const connection = await connect(address, options)
  await assert.rejects(connection.ask(select), (error) => {
    assert.match(inspect(error), /violates a check/)
    assert.doesNotMatch(inspect(error, { showHidden: true }), /secret/)
    return true
  })
  await connection.end(100)
})
