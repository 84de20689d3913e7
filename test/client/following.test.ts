import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { codes, type Followed, follow, type MemberSort, rollcall, type Todo, unwrap } from '#client/index.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { type Spoil, standIn } from './stand-ins.ts'

const start = async (t: TestContext) => {
  const api = await startApp(t)
  return { api, ...rollcall(api.url) }
}

const titlesOf = (followed: Followed<Todo> | undefined) =>
  followed?.items.map(({ todoTitle, finished }) => (finished ? `${todoTitle}!` : todoTitle))

test('a followed list equals the list of the service after every change', async (t) => {
  const client = await start(t)
  const { todos, members } = client
  const [milk] = [unwrap(await todos.create({ todoTitle: 'Milk' })), await todos.create({ todoTitle: 'Tea' })]
  const followed = follow(client, 'todos')
  const next = async () => (await followed.next()).value as Followed<Todo>
  const first = await next()
  assert.deepEqual([titlesOf(first), first.changes], [['Milk', 'Tea'], undefined])
  unwrap(await members.create(john))
  await todos.finish(milk)
  const finished = await next()
  assert.deepEqual(titlesOf(finished), ['Milk!', 'Tea'])
  assert.deepEqual(
    finished.changes?.map(({ type, subject }) => [type, subject]),
    [['todo.updated', milk.value.todoId]],
  )
  await todos.create({ todoTitle: 'Rice' })
  assert.deepEqual(titlesOf(await next()), ['Milk!', 'Tea', 'Rice'])
  await todos.remove(milk.value.todoId)
  const last = await next()
  assert.deepEqual(titlesOf(last), ['Tea', 'Rice'])
  assert.deepEqual(last.items, unwrap(await todos.list()).value)
  await followed.return(undefined)
})

test('a followed list is read again if the feed cannot continue', async (t) => {
  const answer =
    (status: number, body: unknown): Spoil =>
    (outgoing) =>
      outgoing
        .writeHead(status, { 'Content-Type': 'application/json', 'X-Track': 'x', 'Change-Cursor': 'c' })
        .end(JSON.stringify(body))
  const todo = (todoId: string) => ({ todoId, todoTitle: 'Milk', finished: false, createdAt: '' })
  const place = await standIn(t, [
    answer(200, [todo('1')]),
    answer(410, { code: codes.gone, message: '' }),
    answer(200, [todo('1'), todo('2')]),
    answer(403, { code: codes.forbidden, message: '' }),
  ])
  const seen: number[] = []
  const end = async () => {
    for await (const { items, changes } of follow(rollcall(place.url), 'todos')) {
      assert.equal(changes, undefined)
      seen.push(items.length)
    }
  }
  await assert.rejects(end, { code: codes.forbidden, status: 403, track: 'x' })
  assert.deepEqual(seen, [1, 2])
})

test('aborting the signal ends follow() without an exception, before its first item and while it waits', async (t) => {
  const client = await start(t)
  await client.todos.create({ todoTitle: 'Milk' })
  const ended = { done: true, value: undefined }
  for (const followed of [
    (signal: AbortSignal) => follow(client, 'todos', { signal }),
    (signal: AbortSignal) => client.changes.follow({}, { signal }),
  ]) {
    assert.deepEqual(await followed(AbortSignal.abort()).next(), ended)
    const caller = new AbortController()
    const waiting = followed(caller.signal)
    assert.equal((await waiting.next()).done, false)
    const next = waiting.next()
    setImmediate(() => caller.abort())
    assert.deepEqual(await next, ended)
  }
})

test('every list and every write has the cursor of the changes after it', async (t) => {
  const { todos, changes } = await start(t)
  const made = unwrap(await todos.create({ todoTitle: 'Milk' }))
  const listed = unwrap(await todos.list())
  await todos.create({ todoTitle: 'Tea' })
  for (const { changeCursor } of [made, listed]) {
    const { value } = unwrap(await changes.list({ after: changeCursor }))
    assert.deepEqual(
      value.content.map(({ type }) => type),
      ['todo.created'],
    )
  }
})

test('an answer shows only the requested fields, and its ETag can still be sent as the version with a change', async (t) => {
  const { members } = await start(t)
  const { value } = unwrap(await members.create(john))
  const { memberId, lastName } = value
  const fields = ['lastName'] as const
  const sort: MemberSort = 'lastName'
  const shown = [{ memberId, lastName }]
  assert.deepEqual(unwrap(await members.list({ fields })).value, shown)
  assert.deepEqual(
    unwrap(await members.page({ fields, sort: [sort, 'createdAt,desc'] })).value.content,
    shown,
  )
  assert.deepEqual(await Array.fromAsync(members.each({ fields, sort: `${sort},desc` })), shown)
  const seen = unwrap(await members.get(memberId, { fields }))
  assert.deepEqual([seen.value], shown)
  assert.equal(unwrap(await members.get(seen, { fields })).status, 304)
  unwrap(await members.patch(seen, { address: 'Kyoto' }))
  const late = await members.patch(seen, { address: 'Osaka' })
  assert.equal(late.ok ? '' : late.code, codes.preconditionFailed)
  // @ts-expect-error no such property
  assert.equal((await members.page({ sort: 'password' })).status, 400)
  // @ts-expect-error no such field
  assert.equal((await members.list({ fields: ['password'] })).status, 400)
  // @ts-expect-error a field that was not asked for
  assert.equal(seen.value.firstName, undefined)
})

test('after a 401 the client asks once for another token, and resends only if it differs', async (t) => {
  const { url, ...api } = await startApp(t, {
    ACCESS: 'basic',
    ADMIN_SIGN_ID: 'root',
    ADMIN_PASSWORD: 'swordfish',
  })
  const signedIn = rollcall(url, { auth: { signId: 'root', password: 'swordfish' } })
  const { value } = unwrap(await signedIn.tokens.create())
  const asked: (string | undefined)[] = []
  const token = (fresh: string) =>
    rollcall(url, {
      auth: {
        token: (refusal) => {
          asked.push(refusal?.code)
          return refusal ? fresh : 'stale'
        },
      },
    })
  assert.equal((await token(value.token).todos.create({ todoTitle: 'Milk' })).status, 201)
  const refused = await token('stale').todos.list()
  assert.equal(refused.ok ? '' : refused.code, codes.unauthenticated)
  assert.deepEqual(asked, [undefined, codes.unauthenticated, undefined, codes.unauthenticated])
  assert.deepEqual(
    api.log.flatMap(({ method, status }) => (method === 'POST' || status === 401 ? [[method, status]] : [])),
    [
      ['POST', 201],
      ['POST', 401],
      ['POST', 201],
      ['GET', 401],
    ],
  )
})

test('every error code has its own name', () => {
  assert.equal(new Set(Object.values(codes)).size, Object.keys(codes).length)
  assert.ok(
    Object.keys(codes).every((name) => /^[a-z][A-Za-z]+$/.test(name)),
    Object.keys(codes).join(),
  )
})
