import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionsFor, descriptorLimit } from './servers.ts'

test('the connection limit leaves descriptors for files, whatever the descriptor limit', () => {
  const table = [
    [400, 200],
    [1_024, 512],
    [4_096, 3_584],
    [65_536, 16_384],
  ] as const
  for (const [descriptors, connections] of table) assert.equal(connectionsFor(descriptors), connections)
})

test('the descriptor limit is read from the system, or defaults to 10,240', () => {
  const limitsWith = (soft: string) =>
    `Max processes             62987                62987                processes\nMax open files            ${soft}                 524288               files\n`
  const table = [
    [limitsWith('1024'), 1_024],
    [limitsWith('unlimited'), 10_240],
    ['', 10_240],
    [undefined, 10_240],
  ] as const
  for (const [limits, limit] of table) assert.equal(descriptorLimit(limits), limit)
})
