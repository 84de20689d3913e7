import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeOf, messageOf } from './cause.ts'
import { storageUnavailable } from './problem.ts'

test('a cause is told in its own words, however much was made of it', () => {
  assert.equal(
    causeOf(new Error('closed', { cause: storageUnavailable(new Error('disk full')) })),
    'disk full',
  )
})

test('what stands for several tells the last of them', () => {
  const refused = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}`))
  const cause = new AggregateError(refused)
  assert.equal(causeOf(new Error('fetch failed', { cause })), 'connect ECONNREFUSED 127.0.0.1')
})

test('what has no cause tells itself, whatever was thrown', () => {
  assert.equal(causeOf(new Error('disk full')), 'disk full')
  assert.equal(causeOf('disk full'), 'disk full')
  assert.equal(causeOf(undefined), 'undefined')
})

test('what was thrown says its own words, whatever lies below it', () => {
  assert.equal(messageOf(new Error('closed', { cause: new Error('disk full') })), 'closed')
  assert.equal(messageOf('closed'), 'closed')
  assert.equal(messageOf(undefined), 'undefined')
})
