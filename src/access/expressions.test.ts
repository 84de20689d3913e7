import { test } from 'node:test'
import { assertGrowsSlowly } from '#test/growth.ts'
import { readCredential } from './credential.ts'

test('the time to read a credential grows far more slowly than the square of the number of its accents', () => {
  const ofAccents = (size: number) => Buffer.from(`${'\u0301\u0316'.repeat(size / 4)}:`).toString('base64')
  assertGrowsSlowly(2_000, (size) => readCredential(`Basic ${ofAccents(size)}`))
})
