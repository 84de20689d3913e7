import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawExchange, startApp } from './harness.ts'

test('of patches of one version that name none, the slower are told of a conflict', async (t) => {
  const api = await startApp(t)
  const { todoId } = (await api('POST /todos', { todoTitle: 'milk' })).body as { todoId: string }
  const body = '{"todoTitle":"cream"}'
  const patch = (last: boolean) =>
    `PATCH /api/v1/todos/${todoId} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/merge-patch+json\r\n` +
    `Content-Length: ${body.length}\r\n${last ? 'Connection: close\r\n' : ''}\r\n${body}`
  const received = await rawExchange(api.url, patch(false) + patch(false) + patch(true), { timeoutMs: 5000 })
  const statuses = received.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(-3))
  assert.deepEqual(statuses, ['200', '409', '409'])
  assert.equal(received.match(/e\.xx\.fw\.8002/g)?.length, 2)
})
