import { test } from 'node:test'
import { networkOf } from '#core/network.ts'
import { assertGrowsSlowly } from '#test/growth.ts'
import { isToken } from './bearer.ts'
import { readCredential } from './credential.ts'

/** Inputs that almost match, in growing lengths: an expression that backtracks takes four times as long for twice the length. */
const grown: Readonly<Record<string, (size: number) => unknown>> = {
  'blanks before a credential': (size) => readCredential(`Basic ${' '.repeat(size)}!`),
  'a credential with a wrong end': (size) => readCredential(`Basic ${'A'.repeat(size)}!`),
  'a credential that is padded': (size) => readCredential(`Basic ${'='.repeat(size)}`),
  'a credential of accents': (size) =>
    readCredential(`Basic ${Buffer.from(`${'\u0301\u0316'.repeat(size / 4)}:`).toString('base64')}`),
  'a token of dots': (size) => isToken('a.'.repeat(size)),
  'a token with a wrong end': (size) => isToken(`${'a'.repeat(Math.min(size, 4000))}.a.!`),
  'an address of colons': (size) => networkOf(':'.repeat(size)),
  'an address of brackets': (size) => networkOf(`[${'['.repeat(size)}`),
  'an address with a long port': (size) => networkOf(`${'1.'.repeat(size)}:${'1'.repeat(size)}x`),
  'an address of digits': (size) => networkOf(`::ffff:${'1'.repeat(size)}.`),
}

for (const [what, read] of Object.entries(grown)) {
  test(`${what}: sixteen times as much takes far less than the square of it`, () => {
    assertGrowsSlowly(2_000, read)
  })
}
