import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergePatch } from './mutation-body.ts'

/** The table of RFC 7396, appendix A, except that removed fields stay as undefined. */
const table: readonly [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, { a: undefined }],
  [{ a: 'b', b: 'c' }, { a: null }, { a: undefined, b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd', c: undefined } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b', c: undefined }],
]

for (const [document, patch, merged] of table) {
  test(`${JSON.stringify(document)} patched with ${JSON.stringify(patch)}`, () => {
    assert.deepEqual(mergePatch(document, patch), merged)
  })
}

test('a patch of __proto__ patches a name, not the prototype', () => {
  const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}')) as object
  assert.deepEqual(Object.keys(merged), ['__proto__'])
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})
