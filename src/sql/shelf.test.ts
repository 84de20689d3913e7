import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shelf } from './shelf.ts'

test('a shelf stays within twice its weight limit, and keeps what was used or added last', () => {
  const kept = shelf<number, string>({ maxWeight: 10_000, weightOf: () => 1 })
  for (let name = 0; name < 30_000; name++) {
    kept.put(name, 'kept', 1)
    kept.find(0)
  }
  const names = Array.from({ length: 30_000 }, (_, name) => name)
  const found = names.filter((name) => kept.find(name) !== undefined)
  assert.ok(found.length >= 10_000 && found.length <= 20_000, String(found.length))
  assert.deepEqual([found[0], found.at(-1)], [0, 29_999])
})

test('what is forgotten or cleared is in neither half', () => {
  const kept = shelf<number, string>({ maxWeight: 2, weightOf: () => 1 })
  const names = [1, 2, 3]
  const found = () => names.filter((name) => kept.find(name) !== undefined)
  const fill = () => {
    for (const name of names) kept.put(name, 'kept', 1)
  }
  for (const name of names) {
    fill()
    kept.forget(name)
    assert.ok(!found().includes(name), String(name))
  }
  kept.put(1, 'kept', 1)
  kept.put(2, 'kept', 2)
  kept.clear()
  assert.deepEqual(found(), [])
})
