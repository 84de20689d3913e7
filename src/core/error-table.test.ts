import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorTable, fillIn, mergeErrors, messagesOf, splitLines } from './error-table.ts'

const sold = { en: 'Sold.\nIt is.\nIt was bought.\nWait.', ja: '売り切れ。\nそう。\nなぜ。\n待つ。' } as const

test('a table of error codes does not compile if a code lacks a language or one of its four lines', () => {
  // @ts-expect-error: ja lacks the code
  assert.ok(errorTable({ Sold: { en: sold.en } }))
  // @ts-expect-error: en lacks the cure
  assert.ok(errorTable({ Sold: { ...sold, en: 'Sold.\nIt is.\nIt was bought.' } }))
})

test('the first of the four lines of a code is its message, and a variant of a code has only a message', () => {
  const words = messagesOf(errorTable({ Sold: sold, 'Sold.twice': { en: 'Again.', ja: 'また。' } }))
  assert.deepEqual(words.en, { Sold: 'Sold.', 'Sold.twice': 'Again.' })
  assert.deepEqual(splitLines(sold.ja), ['売り切れ。', 'そう。', 'なぜ。', '待つ。'])
})

test('mergeErrors merges tables, and throws if two tables have the same code', () => {
  const one = errorTable({ A: sold })
  assert.deepEqual(mergeErrors([one, errorTable({ B: sold })]), { A: sold, B: sold })
  assert.throws(() => mergeErrors([one, one]), /two tables have A/)
})

test('known placeholders are replaced, but neither unknown ones nor values that look like one', () => {
  assert.equal(fillIn('sign id : {signId}', { signId: '{memberId} $& $1' }), 'sign id : {memberId} $& $1')
  assert.equal(fillIn('{known} {unknown}', { known: 1 }), '1 {unknown}')
})
