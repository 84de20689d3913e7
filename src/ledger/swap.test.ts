import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#core/problem.ts'
import { untilSwapped } from './swap.ts'

test('an attempt that came too late is made again, and its outcome may be any but undefined', async () => {
  const outcomes = [undefined, undefined, 0]
  assert.equal(await untilSwapped(async () => outcomes.shift()), 0)
  assert.equal(outcomes.length, 0)
})

test('whoever comes too late every time is told of a conflict', async () => {
  let attempts = 0
  const late = async () => {
    attempts++
    return undefined
  }
  await assert.rejects(untilSwapped(late), (error) => error instanceof Problem && error.kind === 'conflict')
  assert.equal(attempts, 16)
})
