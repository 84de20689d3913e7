import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pace } from './pace.ts'

test('refusals for overload go out at once, but those beyond a thousand one by one', async () => {
  const startedAtMs = performance.now()
  const waits = Array.from({ length: 3_000 }, pace)
  assert.ok(waits.findIndex((wait) => wait !== undefined) >= 1_000)
  await Promise.all(waits)
  assert.ok(performance.now() - startedAtMs >= 190)
})
