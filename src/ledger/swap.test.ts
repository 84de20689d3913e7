import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#core/problem.ts'
import { untilSwapped } from './swap.ts'

test('an attempt that returns undefined is repeated; any other outcome is returned, even 0', async () => {
  const outcomes = [undefined, undefined, 0]
  assert.equal(await untilSwapped(async () => outcomes.shift()), 0)
  assert.equal(outcomes.length, 0)
})

test('after 16 failed attempts the swap is refused as a conflict', async () => {
  let attempts = 0
  const attempt = async () => {
    attempts++
    return undefined
  }
  await assert.rejects(
    untilSwapped(attempt),
    (error) => error instanceof Problem && error.kind === 'conflict',
  )
  assert.equal(attempts, 16)
})
