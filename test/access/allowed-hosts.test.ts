import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawExchange, startApp } from '../harness.ts'
import { startBasic } from './callers.ts'

const status = async (url: string, host: string, target: string) => {
  const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  return Number((await rawExchange(url, head)).slice(9, 12))
}

const pages = ['/', '/docs', '/metrics', '/metrics/past', '/api/v1/todos', '/api/v1/openapi.json']
const foreign = [
  'evil.dev',
  'evil.dev:8080',
  'localhost.evil.dev',
  '127.0.0.1.evil.dev',
  'not.notlocalhost',
  'notexample.com',
  'example.dev',
]
const own = [
  '127.0.0.1',
  '127.0.0.1:8080',
  '[::1]:8081',
  'localhost',
  'LOCALHOST:80',
  'app.localhost',
  'rollcall:8080',
  'api.example.com',
  'rollcall.test',
  'localhost.',
]

test('open access on the loopback refuses foreign host names with 403, except for health checks', async (t) => {
  const api = await startApp(t, { ALLOWED_HOSTS: '' })
  for (const host of foreign) {
    assert.equal(await status(api.url, host, '/api/v1/todos'), 403, host)
    assert.equal(await status(api.url, '127.0.0.1', `http://${host}/api/v1/todos`), 403, host)
    for (const page of pages) assert.equal(await status(api.management, host, page), 403, `${host} ${page}`)
    for (const page of ['/health/live', '/health/ready'])
      assert.equal(await status(api.management, host, page), 200, `${host} ${page}`)
  }
  for (const host of own) {
    assert.equal(await status(api.url, host, '/api/v1/todos'), 200, host)
    for (const page of pages) assert.equal(await status(api.management, host, page), 200, `${host} ${page}`)
  }
})

test('open access on the loopback refuses changes by pages of other sites, even the upload of a file, which needs no preflight', async (t) => {
  const upload = async (url: string, origin: string, path = '/todos/imports') => {
    const headers = { Origin: origin, 'Content-Type': 'text/plain' }
    return (await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: 'todoTitle\na' })).status
  }
  const api = await startApp(t, { ALLOWED_HOSTS: 'own.dev', CORS_ORIGINS: 'https://app.dev' })
  const sites = ['https://evil.dev', 'http://evil.dev:8080', 'https://localhost.evil.dev', 'null', 'evil.dev']
  for (const url of [api.url, api.management]) {
    for (const site of sites) assert.equal(await upload(url, site), 403, site)
    for (const site of [
      'http://127.0.0.1:8081',
      'http://[::1]:1',
      'http://localhost',
      'https://own.dev',
      'https://app.dev',
    ])
      assert.equal(await upload(url, site), 201, site)
  }
  assert.equal((await api('GET /todos', undefined, { Origin: 'https://evil.dev' })).status, 200)
  const guarded = await startBasic(t, { ALLOWED_HOSTS: '' })
  assert.equal(await upload(guarded.url, 'https://evil.dev'), 401)
})

test('a 403 is logged with host, address and path, a 404 with its path; queries are left out', async (t) => {
  const api = await startApp(t, { ALLOWED_HOSTS: '' })
  const line = async (host: string, target: string) => {
    await status(api.url, host, target)
    const { track: _, time: __, ms: ___, ...rest } = api.log.at(-1) ?? {}
    return rest
  }
  const refused = { level: 'info', method: 'GET', status: 403, address: '127.0.0.1' }
  assert.deepEqual(await line('evil.dev:1', '/api/v1/todos?a=secret'), {
    ...refused,
    path: '/api/v1/todos',
    host: 'evil.dev:1',
  })
  const long = `/${'a'.repeat(300)}`
  assert.deepEqual(await line('x', `${long}?a=secret`), { ...refused, path: long.slice(0, 200), host: 'x' })
  const { address: _, ...unknown } = refused
  assert.deepEqual(await line('x', '/api/v1/no?a=secret'), { ...unknown, status: 404, path: '/api/v1/no' })
  assert.deepEqual(await line('x', '/api/v1/todos'), { ...unknown, status: 200, route: '/todos' })
})

test('the hosts of PUBLIC_URL and ALLOWED_HOSTS are accepted, and * accepts every host', async (t) => {
  for (const [settings, host] of [
    [{ PUBLIC_URL: 'https://Rollcall.dev/a' }, 'rollcall.dev'],
    [{ PUBLIC_URL: 'https://rollcall.dev.:8443' }, 'rollcall.dev'],
    [{ ALLOWED_HOSTS: 'one.dev, Two.dev' }, 'two.dev:8080'],
    [{ ALLOWED_HOSTS: 'One.dev.' }, 'one.dev'],
    [{ ALLOWED_HOSTS: 'One.dev.' }, 'one.dev.'],
    [{ ALLOWED_HOSTS: '*' }, 'any.dev'],
  ] as const) {
    const api = await startApp(t, { ACCESS: 'open', ALLOWED_HOSTS: '', ...settings })
    assert.equal(await status(api.url, host, '/api/v1/todos'), 200, host)
    assert.equal(await status(api.management, host, '/docs'), 200, host)
    const others = 'ALLOWED_HOSTS' in settings && settings.ALLOWED_HOSTS === '*' ? 200 : 403
    assert.equal(await status(api.url, 'evil.dev', '/api/v1/todos'), others)
  }
})

test('no host name is refused with a trusted proxy, a public listener or Basic access', async (t) => {
  const behind = await startApp(t, { ACCESS: 'open', ALLOWED_HOSTS: '', TRUST_PROXY: '127.0.0.1' })
  assert.equal(await status(behind.url, 'any.dev', '/api/v1/todos'), 200)
  const elsewhere = await startApp(t, { ALLOWED_HOSTS: '', ACCESS: 'open', MANAGEMENT_HOST: '0.0.0.0' })
  assert.equal(await status(elsewhere.url, 'any.dev', '/api/v1/todos'), 200)
  const closed = await startBasic(t, { ALLOWED_HOSTS: '' })
  assert.equal(await status(closed.url, 'any.dev', '/api/v1/todos'), 401)
})
