import assert from 'node:assert/strict'
import test from 'node:test'
import { runUntilNotVoid } from './apart.ts'
import { faults } from './faults.ts'

/**
 * The quick form: one fault that ends the process, one that the process survives, each with a small share of its rounds.
 * Each promise of the others has a test of the service; `npm --prefix lab run faults` tries them all.
 */
const quick: readonly [string, number][] = [
  ['kill -9', 0.02],
  ['the n-th sync fails', 0.05],
]

for (const [name, size] of quick) {
  const fault = faults.find((one) => one.name === name)
  const skip = fault?.unable?.() ?? false
  test(`${name}: ${fault?.promise}`, { skip }, async () => {
    assert.ok(fault)
    const { broken } = await runUntilNotVoid({ fault, size })
    assert.deepEqual(broken, [])
  })
}

test('fault names are unique', () => {
  assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length)
})
