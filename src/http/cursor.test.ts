import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cursors } from './cursor.ts'

const ours = cursors(Buffer.alloc(32, 1))

test('a token gives back the place it was made of', () => {
  const after = ['Ä', 3, true, null]
  assert.deepEqual(ours.read(ours.make(after, 'todos'), 'todos'), after)
})

test('a token of another list, of another secret, or made up, is none', () => {
  const token = ours.make(['a'], 'todos')
  const [payload = '', signature = ''] = token.split('.')
  assert.equal(ours.read(token, 'members'), undefined)
  assert.equal(cursors(Buffer.alloc(32, 2)).read(token, 'todos'), undefined)
  for (const bad of [
    '',
    '.',
    'x',
    payload,
    `${payload}.`,
    `${payload}x.${signature}`,
    `${token}.x`,
    `.${signature}`,
  ]) {
    assert.equal(ours.read(bad, 'todos'), undefined, bad)
  }
})

test('a token has one spelling: bits that say nothing are none of it', () => {
  const token = ours.make(['a'], 'todos')
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
    (last) => token.slice(0, -1) + last,
  )
  const read = [...spellings, `${token}=`, `${token} `, `${token}.`].filter((text) =>
    ours.read(text, 'todos'),
  )
  assert.deepEqual(read, [token])
})
