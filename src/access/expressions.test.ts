import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '#core/network.ts'
import { isToken } from './bearer.ts'
import { readCredential } from './credential.ts'

/** Inputs that almost fit, grown: an expression that goes back over them takes four times as long for twice as much. */
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

const fastestMs = (work: () => unknown) => {
  let fastest = Number.POSITIVE_INFINITY
  for (let round = 0; round < 15; round++) {
    const startedAt = performance.now()
    for (let count = 0; count < 20; count++) work()
    fastest = Math.min(fastest, performance.now() - startedAt)
  }
  return fastest
}

for (const [what, read] of Object.entries(grown)) {
  test(`${what}: sixteen times as much takes far less than the square of it`, () => {
    const short = fastestMs(() => read(2_000))
    const long = fastestMs(() => read(32_000))
    assert.ok(long < 80 * short + 1, `${short} ms, then ${long} ms`)
  })
}
