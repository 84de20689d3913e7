import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RollcallError, rollcall, unwrap } from '#src/client/index.ts'
import { startApp } from '../harness.ts'
import { cut, spoilingProxy } from './stand-ins.ts'

test('a request that cannot be sent is "unsendable", with its cause', async () => {
  const good = 'http://127.0.0.1:9'
  const todo = { todoTitle: 'Buy milk' }
  const calls = {
    'a track beyond Latin-1': rollcall(good).todos.list({}, { track: '牛乳' }),
    'a key beyond Latin-1': rollcall(good).todos.create(todo, { key: '牛乳' }),
    'a language beyond Latin-1': rollcall(good, { language: '日本語' }).todos.list(),
    'a token of two lines': rollcall(good, { auth: { token: 'secret\nsecret' } }).todos.list(),
    'a value that is not JSON': rollcall(good).todos.create({ todoTitle: 1n as unknown as string }),
  }
  for (const [name, call] of Object.entries(calls)) {
    const answer = await call
    assert.ok(!answer.ok)
    assert.deepEqual([answer.code, answer.status], ['unsendable', 0], name)
    assert.ok(answer.cause instanceof TypeError, name)
    assert.doesNotMatch(answer.message, /secret\n/)
  }
})

test('the message about an invalid address names it without its password', async () => {
  for (const [address, message] of [
    ['', '/api/v1/todos is not an http or https address'],
    ['localhost:8080', 'localhost:8080/api/v1/todos is not an http or https address'],
    ['http://no host', 'http://no host/api/v1/todos is not an http or https address'],
    ['http://one:two', 'http://one:two/api/v1/todos is not an http or https address'],
    ['ftp://127.0.0.1', 'ftp://127.0.0.1/api/v1/todos is not an http or https address'],
    ['http://user:secret@127.0.0.1:9', 'the address contains a user: pass it as `auth` instead'],
    ['http://', 'the address names no host'],
    ['HTTPS:///', 'the address names no host'],
    ['http://127.0.0.1:9/?x=1', 'the address contains a query or a fragment: leave it out'],
    ['http://127.0.0.1:9/api/v1#x', 'the address contains a query or a fragment: leave it out'],
    ['http://127.0.0.1:22', 'fetch refuses the port as unsafe'],
  ] as const) {
    const answer = await rollcall(address).todos.list()
    assert.ok(!answer.ok && answer.cause instanceof TypeError, address)
    assert.deepEqual([answer.code, answer.status, answer.message], ['unsendable', 0, message])
  }
})

test('a token function that throws is called once, and its error is the cause', async (t) => {
  const api = await startApp(t)
  const thrown = new Error('no token today')
  let tokenRequests = 0
  const auth = {
    token: () => {
      tokenRequests++
      throw thrown
    },
  }
  const answer = await rollcall(api.url, { auth }).todos.list()
  assert.ok(!answer.ok)
  assert.deepEqual([answer.code, answer.message, tokenRequests], ['unsendable', 'no token today', 1])
  assert.throws(
    () => unwrap(answer),
    (error) => error instanceof RollcallError && error.cause === thrown,
  )
})

test('a lost answer stays "unreachable" if there is no token for the retry', async (t) => {
  const api = await startApp(t)
  const wire = await spoilingProxy(t, api.url, [cut])
  const tokens = ['first']
  const auth = {
    token: () => {
      const token = tokens.pop()
      if (token === undefined) throw new Error('no token any more')
      return token
    },
  }
  const answer = await rollcall(wire.url, { auth }).todos.create({ todoTitle: 'Buy milk' })
  assert.equal(answer.ok ? '' : answer.code, 'unreachable')
  assert.equal(unwrap(await rollcall(api.url).todos.list()).value.length, 1)
})

test('a dot in an id does not select a representation', async (t) => {
  const { members } = rollcall((await startApp(t)).url)
  for (const id of ['john@example.com', 'a.json', 'a.xml']) {
    const answer = await members.get(id)
    assert.match(answer.ok ? '' : answer.message, /^Specified member not found/, id)
  }
})

test('the client uses the fetch of its caller instead of the global one', async () => {
  const asked: string[] = []
  const fetch = async (url: unknown) => {
    asked.push(String(url))
    return new Response('[]', { headers: { 'X-Track': 'x' } })
  }
  const answer = await rollcall('http://rollcall.test', { fetch }).todos.list()
  assert.deepEqual([answer.ok && answer.value, asked], [[], ['http://rollcall.test/api/v1/todos']])
})

test('an id that contains a path reaches no other resource', async () => {
  const paths: string[] = []
  const noting: typeof fetch = async (url) => {
    paths.push(new URL(String(url)).pathname)
    return new Response('', { status: 404, headers: { 'X-Track': 'x' } })
  }
  const { views, webhooks, imports } = rollcall('http://127.0.0.1:1', { fetch: noting })
  await views.remove('../../members/x')
  await webhooks.resend('w', '../../../members/x')
  await imports.create(new Blob(['x']), { into: '../members/x' })
  await assert.rejects(imports.rows('../members/x')[Symbol.asyncIterator]().next())
  assert.deepEqual(paths, [
    '/api/v1/me/views/%2E%2E%2F%2E%2E%2Fmembers%2Fx',
    '/api/v1/webhooks/w/deliveries/%2E%2E%2F%2E%2E%2F%2E%2E%2Fmembers%2Fx/resend',
    '/api/v1/%2E%2E%2Fmembers%2Fx/imports',
    '/api/v1/imports/%2E%2E%2Fmembers%2Fx/rows',
  ])
})
