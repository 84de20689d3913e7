import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpDate } from './http-date.ts'
import { lastModified } from './reading.ts'

test('what is dated ahead of the clock was changed now, as far as a caller is told', () => {
  const told = (lastModifiedAt: number) =>
    parseHttpDate(lastModified({ version: 1, lastModifiedAt })[1] ?? '')
  const yesterday = Date.UTC(2026, 10, 20, 6, 45)
  assert.equal(told(yesterday), yesterday)
  const before = Date.now()
  const ahead = told(before + 60_000) ?? Number.NaN
  assert.ok(ahead <= Date.now() && ahead >= before - 1_000)
})
