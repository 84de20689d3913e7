import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from '../harness.ts'

/** More than fit into one batch. */
const todos = 1_200
/** As many as a batch may have. */
const atOnce = 100
/** More lists than may be streamed at once. */
const times = 40

test('a long list whose body is never read frees its stream slot', async (t) => {
  const api = await startApp(t)
  const operation = { method: 'POST', path: '/api/v1/todos', body: { todoTitle: 'todo' } }
  const batch = { atomic: true, operations: Array(atOnce).fill(operation) }
  for (let created = 0; created < todos; created += atOnce)
    assert.equal((await api('POST /batch', batch)).status, 200)
  const streamsOpen = async () =>
    /^rollcall_streams_open (\d+)$/m.exec(await (await fetch(`${api.management}/metrics`)).text())?.[1]
  const expectReleased = async () => {
    for (let waits = 0; waits < 1_500 && (await streamsOpen()) !== '0'; waits++) await sleep(20)
    assert.equal(await streamsOpen(), '0')
    assert.equal(((await api('GET /todos')).body as unknown[]).length, todos)
  }

  for (const coding of ['identity', 'gzip', 'br'])
    await t.test(`after HEAD with Accept-Encoding: ${coding}`, async () => {
      for (let time = 0; time < times; time++) {
        const { status, text } = await api('HEAD /todos', undefined, { 'accept-encoding': coding })
        assert.deepEqual([status, text], [200, ''])
      }
      await expectReleased()
    })

  await t.test('after a client resets the connection', async () => {
    const { port, host } = new URL(api.url)
    for (let time = 0; time < times; time++) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => undefined)
      const request = `GET /api/v1/todos HTTP/1.1\r\nHost: ${host}\r\n\r\n`
      socket.end(request, () => socket.resetAndDestroy())
      await once(socket, 'close')
    }
    await expectReleased()
  })
})
