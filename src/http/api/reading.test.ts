import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpDate } from '#http/wire/http-date.ts'
import { lastModifiedFields } from './reading.ts'

test('Last-Modified is never later than now, even if the stored time is in the future', () => {
  const shown = (lastModifiedAt: number) => parseHttpDate(lastModifiedFields({ lastModifiedAt })[1] ?? '')
  const yesterday = Date.UTC(2026, 10, 20, 6, 45)
  assert.equal(shown(yesterday), yesterday)
  const before = Date.now()
  const ahead = shown(before + 60_000) ?? Number.NaN
  assert.ok(ahead <= Date.now() && ahead >= before - 1_000)
})
