import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listeners } from './listeners.ts'

test('a topic is known as long as somebody listens to it, and stopping twice is harmless', () => {
  const known = listeners()
  const listener = { heard: () => undefined, missed: () => undefined }
  const [stopOne, stopOther] = [known.add('things', { ...listener }), known.add('things', { ...listener })]
  stopOne()
  assert.deepEqual(known.topics(), ['things'])
  stopOther()
  assert.deepEqual(known.topics(), [])
  known.add('things', listener)
  stopOther()
  assert.deepEqual(known.topics(), ['things'])
})
