import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onceSucceeded } from './once.ts'

test('what may fail is made once, and again where it failed', async () => {
  let made = 0
  const make = onceSucceeded(async () => {
    made++
    if (made === 1) throw new Error('not yet')
    return made
  })
  await assert.rejects(make(), /not yet/)
  assert.deepEqual(await Promise.all([make(), make()]), [2, 2])
  assert.equal(await make(), 2)
})
