import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomHex } from './random-hex.ts'

test('randomHex(16) returns 16 hex digits, never the same in 1,000 calls', () => {
  const next = randomHex(16)
  const values = Array.from({ length: 1_000 }, next)
  for (const digits of values) assert.match(digits, /^[0-9a-f]{16}$/)
  assert.equal(new Set(values).size, values.length)
})
