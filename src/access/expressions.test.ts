import { test } from 'node:test'
import { networkOf } from '#core/network.ts'
import { assertGrowsSlowly } from '#test/growth.ts'
import { isToken } from './bearer.ts'
import { readCredential } from './credential.ts'

/** Inputs that almost match, of a given size: an expression that backtracks takes four times as long for twice the size. */
const grown: Readonly<Record<string, (size: number) => unknown>> = {
  'spaces before a credential': (size) => readCredential(`Basic ${' '.repeat(size)}!`),
  'a credential with an invalid end': (size) => readCredential(`Basic ${'A'.repeat(size)}!`),
  'a credential of padding': (size) => readCredential(`Basic ${'='.repeat(size)}`),
  'a credential of accents': (size) =>
    readCredential(`Basic ${Buffer.from(`${'\u0301\u0316'.repeat(size / 4)}:`).toString('base64')}`),
  'a token of dots': (size) => isToken('a.'.repeat(size)),
  'a token with an invalid end': (size) => isToken(`${'a'.repeat(Math.min(size, 4000))}.a.!`),
  'an address of colons': (size) => networkOf(':'.repeat(size)),
  'an address of brackets': (size) => networkOf(`[${'['.repeat(size)}`),
  'an address with a long port': (size) => networkOf(`${'1.'.repeat(size)}:${'1'.repeat(size)}x`),
  'an address of digits': (size) => networkOf(`::ffff:${'1'.repeat(size)}.`),
}

for (const [input, read] of Object.entries(grown)) {
  test(`reading ${input} takes far less than quadratic time`, () => {
    assertGrowsSlowly(2_000, read)
  })
}
