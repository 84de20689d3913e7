import assert from 'node:assert/strict'
import test from 'node:test'
import { tryUntilItCounts } from './apart.ts'
import { faults } from './faults.ts'

/** The quick form: the faults that show most in little time, each with a small share of its rounds. */
const quick: readonly [string, number][] = [
  ['kill -9', 0.04],
  ['disk full', 1],
  ['read-only', 1],
  ['damaged file', 1],
  ['two instances, one killed', 0.2],
  ['failover to a synchronous standby', 1],
  ['the n-th sync fails', 0.1],
  ['the n-th storage call fails', 0.02],
  ['a flipped bit', 0.05],
]

for (const [name, size] of quick) {
  const fault = faults.find((one) => one.name === name)
  const skip = fault?.unable?.() ?? false
  test(`${name}: ${fault?.promise}`, { skip }, async () => {
    assert.ok(fault)
    const { broken } = await tryUntilItCounts({ fault, size })
    assert.deepEqual(broken, [])
  })
}

test('fault names are unique', () => {
  assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length)
})
