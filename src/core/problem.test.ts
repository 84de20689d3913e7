import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonWords } from './messages.ts'
import { bodyInvalid, changedMeanwhile, type Kind, Problem, rootCodes } from './problem.ts'

test('a single message becomes the problem itself, without details', () => {
  const { code, args, details } = new Problem('notFound', {
    messages: [{ code: 'e.xx.yy.5001', args: { memberId: 'm1' } }],
  }).resolved
  assert.deepEqual({ code, args, details }, { code: 'e.xx.yy.5001', args: { memberId: 'm1' }, details: [] })
})

test('a single message without code or text gets the root code of its kind', () => {
  assert.equal(new Problem('notFound', { messages: [{}] }).resolved.code, 'e.xx.fw.5001')
  assert.equal(new Problem('business', { messages: [{}] }).resolved.code, 'e.xx.fw.8001')
})

test('a single message with only a text keeps it, under the root code', () => {
  const { code, text } = new Problem('business', { messages: [{ text: 'Closed on Sundays.' }] }).resolved
  assert.deepEqual({ code, text }, { code: 'e.xx.fw.8001', text: 'Closed on Sundays.' })
})

test('several messages become details under the root code', () => {
  const { code, details } = new Problem('business', {
    messages: [{ code: 'e.xx.yy.8001' }, { text: 'Closed on Sundays.' }, {}],
  }).resolved
  assert.equal(code, 'e.xx.fw.8001')
  assert.deepEqual(
    details.map(({ code, text }) => [code, text]),
    [
      ['e.xx.yy.8001', undefined],
      ['e.xx.fw.8001', 'Closed on Sundays.'],
      ['e.xx.fw.8001', undefined],
    ],
  )
})

test('a concurrent change is preconditionFailed if a version was expected, otherwise conflict', () => {
  assert.equal(changedMeanwhile(7).kind, 'preconditionFailed')
  assert.equal(changedMeanwhile(undefined).kind, 'conflict')
})

test('a failing field becomes a detail, even if it is the only one', () => {
  const { code, details } = bodyInvalid([{ code: 'NotNull', target: 'todoTitle' }]).resolved
  assert.equal(code, 'e.xx.fw.7001')
  assert.deepEqual(details, [{ code: 'NotNull', target: 'todoTitle' }])
})

test('every kind without a message has its root code, with a text in English and Japanese', () => {
  for (const kind of Object.keys(rootCodes) as Kind[]) {
    const { code, details } = new Problem(kind).resolved
    assert.deepEqual({ code, details }, { code: rootCodes[kind], details: [] })
    assert.ok(commonWords.en[code as keyof typeof commonWords.en], code)
    assert.ok(commonWords.ja[code as keyof typeof commonWords.ja], code)
  }
})
