import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { defaultLimits } from './limits.ts'
import { pool } from './pool.ts'
import { writeAdmission } from './write-admission.ts'

/** The address of a server that closes every connection at once, or calls `accept` instead. */
const deadServerUrl = async (t: TestContext, accept = (socket: Socket) => void socket.destroy()) => {
  const server = createServer(accept).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return `postgres://me:secret@127.0.0.1:${(server.address() as AddressInfo).port}/data?sslmode=disable`
}

const fewConnections = { ...defaultLimits, sessions: 2, writes: 1, waitMs: 100 }

test('a connection that fails to open frees its place in the pool', async (t) => {
  const sessions = pool(await deadServerUrl(t), fewConnections)
  for (let count = 0; count < 3; count++) await assert.rejects(sessions.take(), { name: 'ConnectionLost' })
  assert.equal(sessions.sessionSlots.taken(), 0)
})

test('a write without a connection frees its place for later writes', async (t) => {
  const writers = writeAdmission(pool(await deadServerUrl(t), fewConnections), {}, fewConnections)
  const write = () => writers.admit(async () => assert.fail('there is no connection'))
  for (let count = 0; count < 2; count++) await assert.rejects(write(), { name: 'ConnectionLost' })
})

test('opening times out if the server accepts the connection and then stays silent', {
  timeout: 30_000,
}, async (t) => {
  const ok = [0x52, 0, 0, 0, 8, 0, 0, 0, 0]
  const ready = [0x5a, 0, 0, 0, 5, 0x49]
  const url = await deadServerUrl(t, (socket) => {
    socket.write(Buffer.from([...ok, ...ready]))
    socket.on('error', () => undefined)
    t.after(() => socket.destroy())
  })
  const sessions = pool(url, { ...fewConnections, connectMs: 300 })
  await assert.rejects(sessions.take(), { name: 'ConnectionLost' })
})
