import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawExchange, startApp } from '../harness.ts'
import { startIssuer, startOauth } from './issuer.ts'

test('the last forwarded host, scheme and port are used, the port only if the host has none', async (t) => {
  const api = await startApp(t, { ACCESS: 'open', TRUST_PROXY: '127.0.0.1' })
  for (const [host, proto, port, origin] of [
    ['pub.example.org', 'https', '8443', 'https://pub.example.org:8443'],
    ['evil.example, pub.example.org', 'http, https', '1, 8443', 'https://pub.example.org:8443'],
    ['evil.example, a b', 'http', '', api.url],
    ['pub.example.org', 'https', '443', 'https://pub.example.org'],
    ['pub.example.org', 'http', '80', 'http://pub.example.org'],
    ['pub.example.org:444', 'https', '8443', 'https://pub.example.org:444'],
    ['[::1]', 'https', '8443', 'https://[::1]:8443'],
    ['pub.example.org', 'http', '443', 'http://pub.example.org'],
    ['pub.example.org', 'https', '0', 'https://pub.example.org'],
    ['pub.example.org', 'https', '65536', 'https://pub.example.org'],
    ['pub.example.org', 'https', '8443/x', 'https://pub.example.org'],
  ] as const) {
    const fields = { 'x-forwarded-host': host, 'x-forwarded-proto': proto, 'x-forwarded-port': port }
    const { location } = (await api('POST /todos', { todoTitle: 'a' }, fields)).headers
    assert.ok(location?.startsWith(`${origin}/api/v1/todos/`), `${host} ${port}: ${location}`)
  }
  const untrusted = await startApp(t)
  const { location } = (await untrusted('POST /todos', { todoTitle: 'a' }, { 'x-forwarded-port': '1' }))
    .headers
  assert.ok(location?.startsWith(untrusted.url), String(location))
})

test('a Host with an empty port is accepted, and Location omits the port', async (t) => {
  const api = await startApp(t)
  const body = '{"todoTitle":"a"}'
  const received = await rawExchange(
    api.url,
    `POST /api/v1/todos HTTP/1.1\r\nHost: localhost:\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  assert.match(received, /^HTTP\/1\.1 201 /)
  assert.match(received, /\r\nLocation: http:\/\/localhost\/api\/v1\/todos\//)
})

test('metadata derived from the Host field has Cache-Control: no-store', async (t) => {
  const issuer = await startIssuer(t)
  const path = '/.well-known/oauth-protected-resource/api/v1'
  const api = await startOauth(t, issuer.url)
  for (const target of [path, `http://evil.example${path}`]) {
    const received = await rawExchange(
      api.url,
      `GET ${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    )
    assert.match(received, /"resource":"http:\/\/evil\.example\/api\/v1"/)
    assert.match(received, /\r\nCache-Control: no-store\r\n/)
  }
})

test('a challenge names the metadata at the host of an absolute target rather than the Host field', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url)
  const received = await rawExchange(
    api.url,
    'GET http://api.example/api/v1/todos HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n',
  )
  assert.match(received, /resource_metadata="http:\/\/api\.example\/\.well-known\//)
})

test('metadata and challenges are under PUBLIC_URL, and such metadata is cacheable', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url, {}, { PUBLIC_URL: 'https://new.example/base' })
  const metadata = await fetch(`${api.url}/.well-known/oauth-protected-resource/api/v1`)
  assert.equal(metadata.headers.get('cache-control'), 'public, max-age=300')
  assert.equal(((await metadata.json()) as { resource: string }).resource, 'https://new.example/base/api/v1')
  const refused = await fetch(`${api.url}/api/v1/todos`)
  assert.match(refused.headers.get('www-authenticate') ?? '', /resource_metadata="https:\/\/new\.example\//)
})
