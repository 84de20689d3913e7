import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillIn, mergeWords, words } from './words.ts'

test('a text that one language lacks does not compile', () => {
  // @ts-expect-error: ja lacks the code
  assert.ok(words({ en: { Sold: 'Sold.' }, ja: {} }))
})

test('tables are merged, and a code that two tables define throws', () => {
  const one = words({ en: { A: 'a' }, ja: { A: 'あ' } })
  const other = words({ en: { B: 'b' }, ja: { B: 'び' } })
  assert.deepEqual(mergeWords([one, other]).ja, { A: 'あ', B: 'び' })
  assert.throws(() => mergeWords([one, one]), /two tables have A/)
})

test('known placeholders are filled in once, whatever the values contain; others stay', () => {
  assert.equal(fillIn('sign id : {signId}', { signId: '{memberId} $& $1' }), 'sign id : {memberId} $& $1')
  assert.equal(fillIn('{known} {unknown}', { known: 1 }), '1 {unknown}')
})
