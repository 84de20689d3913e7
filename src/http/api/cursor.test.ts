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
  assert.equal(ours.read(cursor, 'members'), undefined)
  assert.equal(cursors(Buffer.alloc(32, 2)).read(cursor, 'todos'), undefined)
  for (const bad of [
    '',
    '.',
    'x',
    'A'.repeat(37),
    'A'.repeat(38),
    cursor.slice(4),
    cursor.slice(0, -4),
    `AAAA${cursor}`,
  ])
    assert.equal(ours.read(bad, 'todos'), undefined, bad)
})

test('a cursor with any bit changed is not read', () => {
  const bytes = Buffer.from(ours.make(['a'], 'todos'), 'base64url')
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.equal(ours.read(changed.toString('base64url'), 'todos'), undefined, `byte ${at}`)
  }
})

test('a cursor shows nothing of its position, and is the same one each time', () => {
  const position = ['taro@example.com', 5]
  const cursor = ours.make(position, 'members')
  assert.doesNotMatch(Buffer.from(cursor, 'base64url').toString('latin1'), /taro|example/)
  assert.equal(ours.make(position, 'members'), cursor)
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
