import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawExchange, request, startApp } from './harness.ts'

test('two versions of the API serve the same resources side by side', async (t) => {
  const { url } = await startApp(t, {}, { apiPrefixes: ['/api/v1', '/api/v2'] })
  const created = await request(`${url}/api/v2`, 'POST /todos', { body: { todoTitle: 'milk' } })
  assert.match(created.headers.location ?? '', /\/api\/v2\/todos\//)
  const { todoId } = created.body as { todoId: string }
  const inFirst = await request(`${url}/api/v1`, `GET /todos/${todoId}?links=true`)
  const { links, ...todo } = inFirst.body as { links: { href: string }[] }
  assert.deepEqual(todo, created.body)
  assert.deepEqual(
    links.map(({ href }) => href),
    [`${url}/api/v1/todos/${todoId}`, `${url}/api/v1/todos`],
  )
  assert.equal((await request(`${url}/api/v3`, 'GET /todos')).status, 403)
})

test('a deprecated version announces its deprecation on every response, refusals included', async (t) => {
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
  const request = (target: string, fields = 'Host: x') => `GET ${target} HTTP/1.1\r\n${fields}\r\n\r\n`
  const path = '/api/v1/todos'
  const headEnd = /\r\n\r\n/
  for (const [status, sent] of [
    [417, request(path, 'Host: x\r\nExpect: wonders')],
    [414, request(`${path}?x=${'y'.repeat(9_000)}`)],
    [431, request(path, `Host: x\r\nX-Long: ${'y'.repeat(17_000)}`)],
    [400, request(path, 'Host: a b')],
    [400, request(`${path}#part`)],
    [400, request(`http://a@b${path}`)],
  ] as const) {
    const answer = await rawExchange(api.url, sent, { enough: headEnd })
    assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer)
    assert.match(answer, /\r\nDeprecation: @1767225600\r\n/)
  }
  assert.doesNotMatch(await rawExchange(api.url, request('/api/v12#x'), { enough: headEnd }), /Deprecation/)
})
