import { test } from 'node:test'
import { assertGrowsSlowly } from '#test/growth.ts'
import { readCredential } from './credential.ts'

test('reading a credential of many accents takes far less than quadratic time', () => {
  const ofAccents = (size: number) => Buffer.from(`${'\u0301\u0316'.repeat(size / 4)}:`).toString('base64')
  assertGrowsSlowly(2_000, (size) => readCredential(`Basic ${ofAccents(size)}`))
})
