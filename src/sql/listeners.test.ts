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

test('listeners hear what is published on their topic, and all learn that they may have missed something', () => {
  const known = listeners()
  const told: string[] = []
  for (const topic of ['things', 'things', 'others'])
    known.add(topic, {
      heard: (payload) => told.push(`${topic}: ${payload}`),
      missed: () => told.push(`${topic} missed`),
    })
  known.tell({ topic: 'things', payload: 'a' })
  known.tell({ topic: 'unheard', payload: 'b' })
  assert.deepEqual(told.splice(0), ['things: a', 'things: a'])
  known.missed()
  assert.deepEqual(told, ['things missed', 'things missed', 'others missed'])
})
