import assert from 'node:assert/strict'
import { test } from 'node:test'
import { person } from '../people.ts'
import { createTodo } from './creating.ts'
import { content, expectAnswer, field, header, jsonBody, service } from './table.ts'
import { wire } from './wire.ts'

const small = service({ BODY_LIMIT: '1KiB', PAGE_SIZE_MAX: '3' })
const tokyo = service({ TIME_ZONE: 'Asia/Tokyo' })
const withPublicUrl = service({ ACCESS: 'open', PUBLIC_URL: 'https://rollcall.example' })
const withPublicPath = service({ ACCESS: 'open', PUBLIC_URL: 'https://pub.example/base' })

test('a body of exactly BODY_LIMIT is accepted, and a larger one gets 413', async () => {
  const sent = (size: number): string => `{"todoTitle":"a"${' '.repeat(size - 17)}}`
  assert.equal(sent(1024).length, 1024)
  expectAnswer(await small()('POST /todos', sent(1024), jsonBody), { status: 201 })
  expectAnswer(await small()('POST /todos', sent(1025), jsonBody), { status: 413, code: '6004' })
})

test('PAGE_SIZE_MAX caps both the requested and the default page size', async () => {
  for (let i = 0; i < 4; i += 1) await createTodo(small())
  for (const query of ['size=100', 'page=0', 'cursor=', 'cursor=&size=50']) {
    const answer = await small()(`GET /todos?${query}`)
    expectAnswer(answer, { status: 200, shows: { size: 3 } })
    assert.equal(content(answer).length, 3)
  }
})

test('createdAt of a todo has the offset of TIME_ZONE', async () => {
  const answer = await tokyo()('POST /todos', { todoTitle: 'a' })
  expectAnswer(answer, { status: 201 })
  const createdAt = field(answer, 'createdAt')
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+09:00$/)
  assertRecent(createdAt)
})

test('createdAt of a member is in UTC, whatever TIME_ZONE says', async () => {
  const answer = await tokyo()('POST /members', person())
  expectAnswer(answer, { status: 201 })
  assert.match(field(answer, 'createdAt'), /Z$/)
  assertRecent(field(answer, 'createdAt'))
})

const assertRecent = (instant: string) =>
  assert.ok(Math.abs(Date.now() - Date.parse(instant)) < 60_000, instant)

test('Location begins with PUBLIC_URL', async () => {
  const answer = await withPublicUrl()('POST /todos', { todoTitle: 'a' })
  assert.match(header(answer, 'location'), /^https:\/\/rollcall\.example\/api\/v1\/todos\/[0-9a-f-]{36}$/)
})

test('instance in problem details is the requested path without its query, below the path of PUBLIC_URL', async () => {
  const accept = 'application/problem+json, application/json;q=0.9'
  for (const [app, instance] of [
    [withPublicUrl, '/api/v1/members/abc'],
    [withPublicPath, '/base/api/v1/members/abc'],
  ] as const) {
    const answer = await app()('GET /members/abc?view=reduced', undefined, { accept })
    expectAnswer(answer, { status: 404, shows: { instance } })
  }
})

test('without TRUST_PROXY, a forwarded host does not appear in Location', async () => {
  const answer = await wire(small().url, {
    method: 'POST',
    path: '/api/v1/todos',
    headers: {
      ...jsonBody,
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    },
    body: '{"todoTitle":"a"}',
  })
  assert.equal(answer.status, 201)
  assert.ok(answer.headers.location?.startsWith(`${small().url}/api/v1/todos/`))
})
