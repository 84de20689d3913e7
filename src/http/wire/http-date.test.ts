import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpDate, parseHttpDate } from './http-date.ts'

const second = Date.UTC(2026, 10, 21, 6, 45)

test('two different seconds are formatted as different dates, even if they share a slot of the cache', () => {
  for (const instant of [second, second + 1_024_000, -second, second])
    assert.equal(httpDate(instant + 999), new Date(instant).toUTCString())
})

test('the day of an asctime date may have one digit', () => {
  assert.equal(parseHttpDate('Sun Nov  1 06:45:00 2026'), Date.UTC(2026, 10, 1, 6, 45))
})
