import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from './harness.ts'

test('of patches of one version that name none, the slower are told of a conflict', {
  timeout: 60_000,
}, async (t) => {
  const api = await startApp(t)
  const { todoId } = (await api('POST /todos', { todoTitle: 'milk' })).body as { todoId: string }
  const headers = { 'Content-Type': 'application/merge-patch+json' }
  const patch = () => api(`PATCH /todos/${todoId}`, { todoTitle: 'cream' }, headers)
  let changes = 0
  let conflicts = 0
  // Each on its own connection: whether two of them meet is chance.
  while (conflicts === 0)
    for (const { status, body } of await Promise.all(Array.from({ length: 8 }, patch))) {
      assert.ok(status === 200 || status === 409, String(status))
      if (status === 200) changes++
      else {
        conflicts++
        assert.deepEqual(body, {
          code: 'e.xx.fw.8002',
          message: 'Conflict with other processing occurred.',
          details: [
            {
              code: 'ChangedMeanwhile',
              message: `"todoId" ${todoId} was changed by another request at the same time.`,
              target: 'todoId',
            },
          ],
        })
      }
    }
  const { headers: shown } = await api(`GET /todos/${todoId}`)
  assert.equal(Number(shown.etag?.match(/^"(\d+)-/)?.[1]), 1 + changes)
})

test('of those who finish one todo at once none is told of a conflict', { timeout: 60_000 }, async (t) => {
  const api = await startApp(t)
  for (let round = 0; round < 10; round++) {
    const { todoId } = (await api('POST /todos', { todoTitle: 'milk' })).body as { todoId: string }
    const answers = await Promise.all(Array.from({ length: 8 }, () => api(`PUT /todos/${todoId}`)))
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.etag]),
      answers.map(() => [200, answers[0]?.headers.etag]),
    )
  }
})
