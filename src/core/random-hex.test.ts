import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomHex } from './random-hex.ts'

test('random digits are as many as were asked for, and never those before', () => {
  const next = randomHex(16)
  const all = Array.from({ length: 1_000 }, next)
  for (const digits of all) assert.match(digits, /^[0-9a-f]{16}$/)
  assert.equal(new Set(all).size, all.length)
})
