import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conform, type Exchange } from '../conform.ts'

const headers = {
  'x-track': 'a',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'content-type': 'application/json',
  'cache-control': 'private, no-cache',
  vary: 'Accept, Accept-Language, Accept-Encoding, Prefer',
  etag: '"1-j"',
}

const todo = {
  todoId: '019e6a3c-6c00-7000-8000-000000000001',
  todoTitle: 'Buy milk',
  finished: false,
  createdAt: '2026-11-21T06:45:00.123+00:00',
}

const answer = (body: unknown, overrides: Partial<Exchange> = {}): Exchange => ({
  method: 'GET',
  path: '/todos/019e6a3c-6c00-7000-8000-000000000001',
  status: 200,
  headers,
  text: JSON.stringify(body),
  ...overrides,
})

const { etag, ...withoutTag } = headers
const refused = { ...withoutTag, 'content-language': 'en' }

test('an answer that conforms to the document passes', () => {
  conform(answer(todo))
  conform(answer({ code: 'e.xx.fw.5001', message: 'Resource not found.' }, { status: 404, headers: refused }))
})

const violations: readonly (readonly [string, Exchange])[] = [
  ['an unknown field', answer({ ...todo, passwordHash: 'x' })],
  ['a missing field', answer({ ...todo, finished: undefined })],
  ['a malformed timestamp', answer({ ...todo, createdAt: '2026-11-21T06:45:00Z' })],
  ['a title that is too long', answer({ ...todo, todoTitle: 'x'.repeat(31) })],
  ['a missing header field', answer(todo, { headers: withoutTag })],
  ['a malformed header field', answer(todo, { headers: { ...headers, etag: '1-j' } })],
  ['an unknown header field', answer(todo, { headers: { ...headers, 'x-powered-by': 'x' } })],
  ['an undocumented content type', answer(todo, { headers: { ...headers, 'content-type': 'text/plain' } })],
  ['an undocumented status', answer(todo, { status: 202 })],
  [
    'an error code that the operation does not have',
    answer({ code: 'e.xx.fw.8001', message: 'x' }, { status: 404, headers: refused }),
  ],
  [
    'an unknown detail code',
    answer(
      { code: 'e.xx.fw.7002', message: 'x', details: [{ code: 'Odd', message: 'x' }] },
      { status: 400, headers: refused },
    ),
  ],
  ['no body', answer(todo, { text: '' })],
  ['success on an unknown path', answer(todo, { path: '/nowhere' })],
]

for (const [name, violation] of violations) {
  test(`an answer with ${name} fails`, () => {
    assert.throws(() => conform(violation))
  })
}
