import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawExchange } from '../harness.ts'
import { asRoot, enrol, startBasic } from './callers.ts'

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)

const ask = async (url: string, line: string, fields: readonly string[] = []) => {
  const head = [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...fields, '', '']
  return statusOf(await rawExchange(url, head.join('\r\n')))
}

/** Spellings of the path of members. Some server treats each of them as that path. */
const spellings = [
  '/api/v1/members',
  '/api/v1/members?x',
  '/api/v1/members.json',
  '/api/v1/members.xml',
  'http://localhost/api/v1/members',
  'HTTP://localhost/api/v1/members',
  'https://elsewhere.example/api/v1/members',
  '/%61pi/v1/members',
  '/api/v1/%6dembers',
  '/api%2Fv1%2Fmembers',
  '/api/v1//members',
  '//api/v1/members',
  '/api//v1/members',
  '/./api/v1/members',
  '/api/v1/./members',
  '/api/v1/todos/../members',
  '/x/../api/v1/members',
  '/api/v1/todos/%2e%2e/members',
  '/api/v1/members/',
  '/api/v1/members/.',
  '/api/v1/members;x=y',
  '/api/v1;/members',
  '/API/v1/members',
  '/api/V1/members',
  '/api/v1/Members',
  '/api/v1/members%00',
  '/api/v1/members%20',
  '/api/v1/members%3f',
  '/api/v1/members#x',
  '/api/v1\\members',
  '/api/v1/members.json/',
  '/api/v1/members.json.json',
  '/docs/../api/v1/members',
  '/health/live/../../api/v1/members',
  '/.well-known/oauth-protected-resource/../../api/v1/members',
  'members',
  '*',
]

test('no spelling of the path gives access to members without a credential', async (t) => {
  const api = await startBasic(t)
  await enrol(api, 'mary')
  for (const listener of [api.url, api.management]) {
    for (const target of spellings) {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH']) {
        const status = await ask(listener, `${method} ${target}`)
        assert.ok([400, 401, 403, 404, 405, 406].includes(status), `${method} ${target}: ${status}`)
      }
    }
  }
})

test('OPTIONS does not reveal whether a member exists', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const [known, unknown] = await Promise.all(
    [mary.memberId, 'nobody'].map(async (id) => {
      const answer = await api(`OPTIONS /members/${id}`)
      return { status: answer.status, allow: answer.headers.allow, text: answer.text }
    }),
  )
  assert.deepEqual(known, unknown)
  assert.equal(known?.text, '')
})

const overrides = [
  'X-HTTP-Method-Override: DELETE',
  'X-HTTP-Method: DELETE',
  'X-Method-Override: DELETE',
  'X-Original-Method: DELETE',
  'X-Original-URL: /health/live',
  'X-Rewrite-URL: /api/v1/openapi.json',
  'X-Forwarded-For: 127.0.0.1',
  'X-Forwarded-Host: localhost',
  'X-Forwarded-User: root',
  'X-Remote-User: root',
  'Forwarded: for=127.0.0.1;proto=https',
  'X-Real-IP: 127.0.0.1',
  'Cookie: JSESSIONID=1; session=root',
  'Proxy-Authorization: Basic cm9vdDpjb3JyZWN0IGhvcnNl',
  'X-Authorization: Basic cm9vdDpjb3JyZWN0IGhvcnNl',
]

test('no override or forwarding header changes the method, target or caller of a request', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  for (const field of overrides) {
    assert.equal(await ask(api.url, 'GET /api/v1/members', [field]), 401, field)
    const own = `Authorization: ${mary.headers.authorization}`
    assert.equal(await ask(api.url, 'GET /api/v1/todos', [own, field]), 200, field)
    assert.equal(await ask(api.url, `POST /api/v1/members`, [own, field, 'Content-Length: 0']), 403, field)
  }
  assert.equal(
    (await api(`GET /members/${mary.memberId}`, undefined, asRoot)).status,
    200,
    'mary still exists',
  )
  assert.equal((await api(`GET /todos?_method=DELETE`)).status, 401)
})

test('a request with two credentials gets 400', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const fields = [asRoot, mary.headers].map(({ authorization }) => `Authorization: ${authorization}`)
  assert.equal(await ask(api.url, 'GET /api/v1/todos', fields.slice(0, 1)), 200)
  assert.equal(await ask(api.url, 'GET /api/v1/todos', fields), 400)
  assert.equal(await ask(api.url, 'GET /api/v1/todos', fields.toReversed()), 400)
})

test('a credential in a trailer, a body or a neighbouring request admits no other request', async (t) => {
  const api = await startBasic(t)
  const authorization = `Authorization: ${asRoot.authorization}\r\n`
  const get = 'GET /api/v1/members HTTP/1.1\r\nHost: x\r\n'
  const right = `${get}${authorization}\r\n`
  const post = `POST /api/v1/members HTTP/1.1\r\nHost: x\r\nContent-Length: ${right.length}\r\n`
  const exchanges: Readonly<Record<string, readonly [bytes: string, statuses: readonly string[]]>> = {
    'in a trailer': [
      `${get}Transfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n0\r\n${authorization}\r\n`,
      ['401'],
    ],
    'in the previous request': [`${right}${get}\r\n`, ['200', '401']],
    'in the next request': [`${get}\r\n${right}`, ['401', '200']],
    'in a body': [`${post}\r\n${right}`, ['401']],
    'in a body that waits for 100-continue': [`${post}Expect: 100-continue\r\n\r\n${right}`, ['401']],
  }
  const last = 'GET /api/v1/cars HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  for (const [where, [bytes, statuses]] of Object.entries(exchanges)) {
    const text = await rawExchange(api.url, bytes + last)
    const received = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
    // A client that waits in vain for 100 Continue may or may not send its body, so the connection is closed.
    assert.deepEqual(received, where.includes('waits') ? statuses : [...statuses, '404'], where)
  }
})
