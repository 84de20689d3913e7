import assert from 'node:assert/strict'
import { test } from 'node:test'
import { increasingIds, isId } from './id.ts'

const clockOf = (times: number[]) => ({ now: () => times.shift() ?? 0 })

test('ids increase within a millisecond, after the counter overflows, and if the clock runs backwards', () => {
  const now = 1_800_000_000_000
  const times = [...Array(5000).fill(now), now - 1000, now - 1000, now + 9]
  const newId = increasingIds(clockOf(times))
  const ids = Array.from({ length: 5003 }, newId)
  assert.deepEqual(ids, [...new Set(ids)].sort())
  const aheadMs = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16) - now)
  assert.deepEqual([...new Set(aheadMs)], [0, 1, 9], 'the time runs ahead only once the counter is full')
})

test('an id is a version 7 UUID that contains its timestamp', () => {
  const id = increasingIds(clockOf([0x0192_0000_0001]))()
  assert.match(id, /^01920000-0001-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.ok(isId(id))
})

test('isId refuses everything but a lower-case UUID', () => {
  for (const text of [
    '',
    '1',
    '0192-',
    'x'.repeat(36),
    '01920000-0001-7000-8000-00000000000G',
    `${crypto.randomUUID()}\n`,
  ]) {
    assert.equal(isId(text), false, text)
  }
  assert.equal(isId(crypto.randomUUID().toUpperCase()), false)
})
