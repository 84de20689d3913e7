import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionsFor, descriptorLimit } from './descriptors.ts'

test('connections leave room for files, however many there may be', () => {
  const table = [
    [400, 200],
    [1_024, 512],
    [4_096, 3_584],
    [65_536, 16_384],
  ] as const
  for (const [descriptors, most] of table) assert.equal(connectionsFor(descriptors), most)
})

test('the system says how many there may be, or a usual number is taken', () => {
  assert.ok(descriptorLimit() >= 256)
})
