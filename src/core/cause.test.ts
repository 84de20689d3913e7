import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeOf, messageOf } from './cause.ts'
import { storageUnavailable } from './problem.ts'

test('causeOf returns the message of the innermost cause', () => {
  assert.equal(
    causeOf(new Error('closed', { cause: storageUnavailable(new Error('disk full')) })),
    'disk full',
  )
})

test('causeOf takes the last of the errors in an AggregateError', () => {
  const refused = ['::1', '::2', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}`))
  const cause = new AggregateError(refused)
  assert.equal(causeOf(new Error('fetch failed', { cause })), 'connect ECONNREFUSED 127.0.0.1')
})

test('causeOf of a value without a cause describes the value itself', () => {
  assert.equal(causeOf(new Error('disk full')), 'disk full')
  assert.equal(causeOf('disk full'), 'disk full')
  assert.equal(causeOf(undefined), 'undefined')
})

test('messageOf returns the message of what was thrown, not of its cause', () => {
  assert.equal(messageOf(new Error('closed', { cause: new Error('disk full') })), 'closed')
  assert.equal(messageOf('closed'), 'closed')
  assert.equal(messageOf(undefined), 'undefined')
})
