import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '#test/harness.ts'

/** The Accept field of a browser. */
const Accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

test('a browser that asks for a path outside the API gets an explanation, with the same status as other callers', async (t) => {
  const { url } = await startApp(t)
  for (const path of ['/', '/favicon.ico', '/docs']) {
    const answer = await fetch(url + path, { headers: { Accept } })
    const text = await answer.text()
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [403, 'text/html; charset=utf-8'])
    assert.match(text, /\/api\/v1\/openapi\.json[\s\S]*management listener, port \d+/)
    assert.equal((await fetch(url + path)).headers.get('content-type'), 'application/json')
    assert.equal((await fetch(url + path, { headers: { Accept }, method: 'POST' })).status, 403)
  }
})

test('an unknown path of the management listener is 404, and for browsers a page of the console', async (t) => {
  const { management } = await startApp(t)
  const page = await fetch(`${management}/nothing/here`, { headers: { Accept } })
  assert.equal(page.status, 404)
  assert.match(await page.text(), /<div id="app">/)
  const answer = await fetch(`${management}/nothing/here`)
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'application/json'])
})
