import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request, startApp } from './harness.ts'

test('two versions stand side by side on the same rooms', async (t) => {
  const { url } = await startApp(t, {}, { prefixes: ['/api/v1', '/api/v2'] })
  const created = await request(`${url}/api/v2`, 'POST /todos', { body: { todoTitle: 'milk' } })
  assert.match(created.headers.location ?? '', /\/api\/v2\/todos\//)
  const { todoId } = created.body as { todoId: string }
  const inFirst = await request(`${url}/api/v1`, `GET /todos/${todoId}?links=true`)
  const { links, ...todo } = inFirst.body as { links: { href: string }[] }
  assert.deepEqual(todo, created.body)
  assert.ok(links.every(({ href }) => href.startsWith(`${url}/api/v1/`)))
  assert.equal((await request(`${url}/api/v3`, 'GET /todos')).status, 403)
})

test('a version on its way out says so on every answer, refusals among them', async (t) => {
  const api = await startApp(t, {
    API_DEPRECATED: '2026-01-01',
    API_SUNSET: '2027-01-01',
    API_SUCCESSOR: 'https://example.com/api/v2',
  })
  for (const line of ['GET /todos', 'GET /todos/none', 'POST /todos', 'BREW /todos', 'GET /todos?page=x']) {
    const { headers } = await api(line)
    assert.equal(headers.deprecation, '@1767225600', line)
    assert.equal(headers.sunset, 'Fri, 01 Jan 2027 00:00:00 GMT', line)
    assert.match(headers.link ?? '', /<https:\/\/example.com\/api\/v2>; rel="successor-version"/, line)
  }
})
