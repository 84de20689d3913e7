import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { asRoot, basic, enrol, startBasic, stoppedClock } from '../access/callers.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { person } from '../people.ts'
import { createMember, createTodo } from './creating.ts'
import { body, expectAnswer, field, header, mergePatch, rows, service } from './table.ts'

const app = service()
const protectedApp = service({ ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'admin password' })
const key = (value: string, more: Record<string, string> = {}) => ({ 'idempotency-key': value, ...more })
const count = async (): Promise<number> => rows(await app()('GET /todos')).length

test('a POST repeated with its key takes effect once, and its answer is replayed', async () => {
  const before = await count()
  const first = await app()('POST /todos', { todoTitle: 'once' }, key('once'))
  const again = await app()('POST /todos', { todoTitle: 'once' }, key('once', { 'x-track': 'second-time' }))
  expectAnswer(first, { status: 201, answers: { 'idempotent-replayed': false } })
  expectAnswer(again, { status: 201, answers: { 'idempotent-replayed': 'true', 'x-track': 'second-time' } })
  assert.equal(again.text, first.text)
  for (const name of ['location', 'content-type', 'etag'])
    assert.equal(header(again, name), header(first, name), name)
  assert.equal(await count(), before + 1)
})

test('a PATCH repeated with its key is replayed, and overwrites no later change', async () => {
  const path = `/todos/${await createTodo(app())}`
  const patch = { todoTitle: 'patched' }
  const first = await app()(`PATCH ${path}`, patch, key('patch', mergePatch))
  await app()(`PATCH ${path}`, { todoTitle: 'meanwhile' }, mergePatch)
  const again = await app()(`PATCH ${path}`, patch, key('patch', mergePatch))
  expectAnswer(again, { status: 200, answers: { 'idempotent-replayed': 'true' } })
  assert.equal(again.text, first.text)
  assert.equal(body(await app()(`GET ${path}`)).todoTitle, 'meanwhile')
})

test('a POST whose answer has a secret takes effect once; its repetition is refused, and the secret is not stored', async (t) => {
  const path = join(freshFolder(), 'a.db')
  const api = await startBasic(t, { DATABASE_URL: `sqlite:${path}` })
  const hook = { url: 'https://example.com/hook', active: false }
  const webhookId = field(await api('POST /webhooks', hook, asRoot), 'webhookId')
  const { memberId } = await enrol(api, 'mary')
  const posts: readonly (readonly [string, object | undefined, string])[] = [
    ['/keys', { name: 'a', scopes: ['todos:read'] }, 'secret'],
    ['/webhooks', hook, 'secret'],
    [`/webhooks/${webhookId}/secret`, undefined, 'secret'],
    ['/tokens', undefined, 'token'],
    [`/members/${memberId}/invitation`, undefined, 'url'],
  ]
  const state = async () => {
    const lists = ['/keys', '/webhooks', `/webhooks/${webhookId}`, '/changes']
    return Promise.all(lists.map(async (list) => (await api(`GET ${list}`, undefined, asRoot)).text))
  }
  for (const [at, sent, name] of posts) {
    const headers = key('once', asRoot)
    const first = await api(`POST ${at}`, sent, headers)
    expectAnswer(first, { status: 201, answers: { 'idempotent-replayed': false } })
    const before = await state()
    const again = await api(`POST ${at}`, sent, { ...headers, 'accept-language': 'ja' })
    expectAnswer(again, { status: 409, code: '8008' })
    expectAnswer(await api(`POST ${at}?links=true`, sent, headers), { status: 422, code: '8006' })
    assert.deepEqual(await state(), before)
    const file = new DatabaseSync(path, { readOnly: true })
    const kept = JSON.stringify(file.prepare('SELECT * FROM kept_answer').all())
    file.close()
    assert.ok(!kept.includes(field(first, name).split('/').at(-1) ?? ''), at)
  }
})

test('the same key with another body is refused with 422, and creates nothing', async () => {
  await app()('POST /todos', { todoTitle: 'mine' }, key('reused'))
  const before = await count()
  expectAnswer(await app()('POST /todos', { todoTitle: 'other' }, key('reused')), {
    status: 422,
    code: '8006',
  })
  assert.equal(await count(), before)
})

test('a refusal is not stored, so its key may be used again with another body', async () => {
  const key = { 'idempotency-key': 'refused before' }
  const taken = { signId: 'taken before', password: 'open sesame' }
  await createMember(app(), { credential: taken })
  for (const [fields, status] of [
    [{ genderCode: '9' }, 400],
    [{ credential: taken }, 409],
    [{}, 201],
  ] as const)
    expectAnswer(await app()('POST /members', person(fields), key), {
      status,
      answers: { 'idempotent-replayed': false },
    })
  expectAnswer(await app()('POST /members', person(), key), { status: 422, code: '8006' })
})

test('the same key with another query is refused with 422', async () => {
  await app()('POST /todos', { todoTitle: 'mine' }, key('asked otherwise'))
  const answer = await app()('POST /todos?links=true', { todoTitle: 'mine' }, key('asked otherwise'))
  expectAnswer(answer, { status: 422, code: '8006' })
})

test('the same key with another suffix of the path is replayed', async () => {
  const sent = { todoTitle: 'in two forms' }
  const first = await app()('POST /todos', sent, key('suffix'))
  const again = await app()('POST /todos.json', sent, key('suffix'))
  expectAnswer(again, { status: 201, answers: { 'idempotent-replayed': 'true' } })
  assert.equal(again.text, first.text)
})

test('a key with a non-ASCII character is refused with 400 and Pattern', async () => {
  for (const wrong of ['\u00e9', `${'k'.repeat(254)}\u00e9`])
    expectAnswer(await app()('POST /todos', { todoTitle: 'x' }, key(wrong)), {
      status: 400,
      code: '7002',
      details: ['Idempotency-Key Pattern'],
    })
})

test('a key is scoped to its method and path', async () => {
  expectAnswer(await app()('POST /todos', { todoTitle: 'a' }, key('shared')), { status: 201 })
  expectAnswer(await app()('POST /members', person(), key('shared')), {
    status: 201,
    answers: { 'idempotent-replayed': false },
  })
  for (const path of [`/todos/${await createTodo(app())}`, `/todos/${await createTodo(app())}`]) {
    const answer = await app()(`PATCH ${path}`, { todoTitle: 'b' }, key('shared', mergePatch))
    expectAnswer(answer, { status: 200, answers: { 'idempotent-replayed': false } })
  }
})

test('a key is scoped to its principal', async () => {
  const admin = basic('admin', 'admin password')
  const credential = { signId: 'someone', password: 'some password' }
  await protectedApp()('POST /members', person({ credential }), admin)
  const post = (caller: Record<string, string>) =>
    protectedApp()('POST /todos', { todoTitle: 'whose' }, key('whose', caller))
  const first = await post(admin)
  const second = await post(basic('someone', 'some password'))
  expectAnswer(second, { status: 201, answers: { 'idempotent-replayed': false } })
  assert.notEqual(field(second, 'todoId'), field(first, 'todoId'))
})

test('a key of 255 characters is accepted, and a longer or empty one is refused with 400 and Size', async () => {
  expectAnswer(await app()('POST /todos', { todoTitle: 'a' }, key('k'.repeat(255))), { status: 201 })
  const before = await count()
  for (const wrong of ['', 'k'.repeat(256)])
    expectAnswer(await app()('POST /todos', { todoTitle: 'a' }, key(wrong)), {
      status: 400,
      code: '7002',
      says: ['"Idempotency-Key" size must be between 1 and 255.'],
    })
  assert.equal(await count(), before)
})

test('exactly one of several concurrent POSTs with one key takes effect; the others are replays or get 409', async () => {
  const before = await count()
  const post = () => app()('POST /todos', { todoTitle: 'rush' }, key('rush'))
  const answers = await Promise.all(Array.from({ length: 10 }, post))
  const created = answers.filter((answer) => answer.status === 201)
  assert.equal(new Set(created.map((answer) => field(answer, 'todoId'))).size, 1)
  assert.equal(created.filter((answer) => answer.headers['idempotent-replayed'] === undefined).length, 1)
  for (const answer of answers) {
    if (answer.status !== 201)
      expectAnswer(answer, {
        status: 409,
        code: '8005',
        says: ['"Idempotency-Key" identifies a request that has not been answered yet.'],
        answers: { 'retry-after': /^\d+$/ },
      })
  }
  assert.equal(await count(), before + 1)
})

test('a return=minimal answer is replayed with its Location and without a body', async () => {
  const sent = { todoTitle: 'short' }
  const headers = key('short', { prefer: 'return=minimal' })
  const first = await app()('POST /todos', sent, headers)
  const again = await app()('POST /todos', sent, headers)
  expectAnswer(again, {
    status: 201,
    answers: { 'idempotent-replayed': 'true', location: header(first, 'location') },
  })
  assert.equal(again.text, '')
})

test('an answer can be replayed for exactly 24 hours', async (t) => {
  const clock = stoppedClock()
  const api = await startApp(t, {}, { clock })
  const post = () => api('POST /todos', { todoTitle: 'for a day' }, key('for a day'))
  expectAnswer(await post(), { status: 201, answers: { 'idempotent-replayed': false } })
  clock.pass(24 * 60 * 60 * 1000 - 1)
  expectAnswer(await post(), { status: 201, answers: { 'idempotent-replayed': 'true' } })
  clock.pass(1)
  expectAnswer(await post(), { status: 201, answers: { 'idempotent-replayed': false } })
})

test('a key on GET or DELETE is ignored', async () => {
  const path = `/members/${(await createMember(app())).memberId}`
  expectAnswer(await app()(`GET ${path}`, undefined, key('shared')), {
    status: 200,
    answers: { 'idempotent-replayed': false },
  })
  expectAnswer(await app()(`DELETE ${path}`, undefined, key('shared')), { status: 204 })
  expectAnswer(await app()(`DELETE ${path}`, undefined, key('shared')), { status: 404 })
})
