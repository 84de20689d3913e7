import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cache } from './cache.ts'

test('a cache stays within twice its weight limit and keeps the entries that were used or added last', () => {
  const entries = cache<number, string>({ maxWeight: 10_000, weightOf: () => 1 })
  for (let key = 0; key < 30_000; key++) {
    entries.set(key, 'kept', 1)
    entries.get(0)
  }
  const keys = Array.from({ length: 30_000 }, (_, key) => key)
  const found = keys.filter((key) => entries.get(key) !== undefined)
  assert.ok(found.length >= 10_000 && found.length <= 20_000, String(found.length))
  assert.deepEqual([found[0], found.at(-1)], [0, 29_999])
})

test('deleting an entry and clearing the cache affect both halves', () => {
  const entries = cache<number, string>({ maxWeight: 2, weightOf: () => 1 })
  const keys = [1, 2, 3]
  const found = () => keys.filter((key) => entries.get(key) !== undefined)
  const fill = () => {
    for (const key of keys) entries.set(key, 'kept', 1)
  }
  for (const key of keys) {
    fill()
    entries.delete(key)
    assert.ok(!found().includes(key), String(key))
  }
  entries.set(1, 'kept', 1)
  entries.set(2, 'kept', 2)
  entries.clear()
  assert.deepEqual(found(), [])
})
