import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { column, message, options, select, server, value, welcome } from '#test/postgres-wire.ts'
import { connect } from './connection.ts'

test('an answer may arrive byte by byte', async (t) => {
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
  const notifications: string[] = []
  const address = await server(t, welcome, async (socket) => {
    for (const byte of answer) {
      socket.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  const connection = await connect(address, {
    ...options,
    onNotification: (topic, payload) => notifications.push(`${topic}: ${payload}`),
  })
  const { rows, tag, warning } = await connection.ask(select)
  assert.deepEqual([rows, tag, warning], [[{ id: 'é', size: 42, none: null }], 'SELECT 1', '01000 careful'])
  assert.deepEqual(notifications, ['topic: payload'])
  await connection.end(100)
})

test('a statement that times out closes the connection and fails all waiting statements', async (t) => {
  const address = await server(t, welcome)
  const closed = Promise.withResolvers<void>()
  const connection = await connect(address, { ...options, onClosed: () => closed.resolve() })
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

const malformed: [string, Buffer][] = [
  ['a size smaller than its own field', Buffer.from([0x44, 0, 0, 0, 3])],
  ['a negative size', Buffer.from([0x44, 255, 255, 255, 255])],
  ['an impossibly large size', Buffer.from([0x44, 127, 255, 255, 255])],
  ['an unterminated error', message('E', 'SERROR\0C')],
  ['a truncated row description', message('T', [0, 2], Buffer.from('id').toJSON().data)],
  ['a truncated row', Buffer.concat([message('T', [0, 1], column('id', 25)), message('D', [0, 1, 0])])],
]

for (const [fault, answer] of malformed)
  test(`a connection that receives ${fault} is closed`, async (t) => {
    const address = await server(t, welcome, (socket) => socket.write(answer))
    const connection = await connect(address, options)
    await assert.rejects(connection.ask(select), /the connection was lost/)
    await assert.rejects(connection.ask(select), /the connection was lost/)
  })

test('a statement is prepared again if it was parsed but not described', async (t) => {
  const cancelled = message('E', 'SERROR\0VERROR\0C57014\0Mcancelled\0\0')
  const described = Buffer.concat([message('t', [0, 0]), message('T', [0, 1], column('id', 25))])
  const row = Buffer.concat([message('2'), message('D', [0, 1], value('a')), message('C', 'SELECT 1\0')])
  const answers = [
    Buffer.concat([message('1'), cancelled, message('Z', 'I')]),
    Buffer.concat([message('1'), described, row, message('Z', 'I')]),
  ]
  const address = await server(t, welcome, (socket, received) => {
    if (answers.length === 1) assert.match(received, /^P/)
    socket.write(answers.shift() ?? '')
  })
  const connection = await connect(address, options)
  await assert.rejects(connection.ask(select), { code: '57014' })
  assert.deepEqual((await connection.ask(select)).rows, [{ id: 'a' }])
  await connection.end(100)
})

test('an error omits server text that may contain values of a row', async (t) => {
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
