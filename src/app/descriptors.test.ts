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
  const told = (soft: string) =>
    `Max processes             62987                62987                processes\nMax open files            ${soft}                 524288               files\n`
  const table = [
    [told('1024'), 1_024],
    [told('unlimited'), 10_240],
    ['', 10_240],
    [undefined, 10_240],
  ] as const
  for (const [limits, most] of table) assert.equal(descriptorLimit(limits), most)
})
