import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoizeSuccess } from './once.ts'

test('after a failure the next call tries again, and after a success all calls share its result', async () => {
  let attempts = 0
  const make = memoizeSuccess(async () => {
    attempts++
    if (attempts === 1) throw new Error('not yet')
    return attempts
  })
  await assert.rejects(make(), /not yet/)
  assert.deepEqual(await Promise.all([make(), make()]), [2, 2])
  assert.equal(await make(), 2)
})
