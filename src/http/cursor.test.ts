import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cursors } from './cursor.ts'

const ours = cursors(Buffer.alloc(32, 1))

test('a cursor gives back the position it was made from', () => {
  const after = ['Ä', 3, true, null]
  assert.deepEqual(ours.read(ours.make(after, 'todos'), 'todos'), after)
})

test('a cursor that is malformed, or of another list or secret, is not read', () => {
  const cursor = ours.make(['a'], 'todos')
  const [payload = '', signature = ''] = cursor.split('.')
  assert.equal(ours.read(cursor, 'members'), undefined)
  assert.equal(cursors(Buffer.alloc(32, 2)).read(cursor, 'todos'), undefined)
  for (const bad of [
    '',
    '.',
    'x',
    payload,
    `${payload}.`,
    `${payload}x.${signature}`,
    `${cursor}.x`,
    `.${signature}`,
  ]) {
    assert.equal(ours.read(bad, 'todos'), undefined, bad)
  }
})

test('a cursor has exactly one spelling: unused bits and extra characters make it invalid', () => {
  const cursor = ours.make(['a'], 'todos')
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
    (last) => cursor.slice(0, -1) + last,
  )
  const read = [...spellings, `${cursor}=`, `${cursor} `, `${cursor}.`].filter((text) =>
    ours.read(text, 'todos'),
  )
  assert.deepEqual(read, [cursor])
})
