import assert from 'node:assert/strict'
import { test } from 'node:test'
import { empty, key, sql, type TemplateValue } from './query.ts'

test('a statement takes values, keys and other statements', () => {
  const filter = sql`rank > ${key('b')} AND picture = ${new Uint8Array([1])}`
  const { text, values, keys } =
    sql`UPDATE thing SET done = ${true}, title = ${null} WHERE id = ${key('a')} AND ${filter}${empty}`
  assert.equal(text, 'UPDATE thing SET done = ?, title = ? WHERE id = ? AND rank > ? AND picture = ?')
  assert.deepEqual(values, [true, null, 'a', 'b', new Uint8Array([1])])
  assert.deepEqual(keys, ['a', 'b'])
  assert.deepEqual(sql`SELECT ${filter}`.keys, ['b'])
})

for (const value of [undefined, {}, [], 1n, Symbol.iterator, () => 1, key(undefined as never)])
  test(`a value of type ${Array.isArray(value) ? 'list' : typeof value} is refused even after a cast`, () => {
    assert.throws(() => sql`INSERT INTO thing VALUES (${value as TemplateValue})`, /not a value/)
    assert.throws(() => sql`INSERT INTO thing VALUES (${value as TemplateValue}, ${empty})`, /not a value/)
  })
