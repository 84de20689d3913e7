import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ClientOptions, type Rollcall, RollcallError, rollcall, unwrap } from '#src/client/index.ts'
import { freePort } from '../free-port.ts'
import { startApp } from '../harness.ts'
import { busy, cut, refusing, spoilingProxy } from './stand-ins.ts'

const person = {
  firstName: 'John',
  lastName: 'Smith',
  genderCode: '1',
  dateOfBirth: '1983-01-17',
  emailAddress: 'John.Smith@example.com',
  credential: { password: 'demodemo' },
} as const

const start = async (t: TestContext, options: ClientOptions = {}) => {
  const api = await startApp(t)
  return { api, ...rollcall(api.url, options) }
}

test('a todo is created, read, finished, renamed, reopened and removed', async (t) => {
  const { todos } = await start(t)
  const created = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  assert.equal(created.status, 201)
  assert.deepEqual(unwrap(await todos.get(created.value.todoId)).value, created.value)
  const finished = unwrap(await todos.finish(created))
  assert.equal(finished.value.finished, true)
  const renamed = unwrap(await todos.patch(finished, { todoTitle: 'Buy oat milk', finished: false }))
  assert.equal(renamed.value.todoTitle, 'Buy oat milk')
  assert.equal(renamed.value.finished, false)
  assert.equal(unwrap(await todos.remove(renamed)).status, 204)
  const answer = await todos.get(created.value.todoId)
  assert.equal(answer.ok ? '' : answer.code, 'e.xx.fw.5001')
  assert.equal((await todos.remove(renamed)).status, 404)
})

test('a batch takes effect once even if its answer is lost, and refused operations are values in the answer', async (t) => {
  const { api } = await start(t)
  const wire = await spoilingProxy(t, api.url, [cut])
  const client = rollcall(wire.url)
  const add = (todoTitle: string) => ({ method: 'POST', path: '/api/v1/todos', body: { todoTitle } }) as const
  const { value } = unwrap(await client.batches.create({ atomic: false, operations: [add('a'), add('')] }))
  assert.deepEqual(
    value.responses.map(({ status }) => status),
    [201, 400],
  )
  assert.equal(wire.seen.length, 2)
  const refused = await client.batches.create({ atomic: true, operations: [add('b'), add('')] })
  assert.equal(refused.ok ? '' : refused.code, 'e.xx.fw.8007')
  assert.deepEqual(unwrap(await client.todos.list()).value.length, 1)
})

test('a saved view of the console can be created, changed and deleted', async (t) => {
  const { views } = await start(t)
  const view = { name: 'Milk', page: 'todos', query: 'title=milk', shared: false }
  const { viewId } = unwrap(await views.create(view)).value
  unwrap(await views.replace(viewId, { ...view, name: 'Oat milk' }))
  assert.deepEqual(
    unwrap(await views.list()).value.content.map(({ name }) => name),
    ['Oat milk'],
  )
  unwrap(await views.remove(viewId))
  assert.deepEqual(unwrap(await views.list()).value.content, [])
})

test('the base address may include the API prefix and a trailing slash', async (t) => {
  const { api } = await start(t)
  for (const address of [`${api.url}/api/v1`, `${api.url}/api/v1/`, `${api.url}/`])
    assert.deepEqual(unwrap(await rollcall(address).todos.list()).value, [])
})

test('a change of a record that was read is refused if the record changed since; a change by id is always made', async (t) => {
  const { members } = await start(t)
  const read = unwrap(await members.create(person))
  unwrap(await members.patch(read, { address: 'Kyoto' }))
  const late = await members.patch(read, { address: 'Osaka' })
  assert.equal(late.ok ? '' : late.code, 'e.xx.fw.8003')
  const { credential, createdAt, ...rest } = unwrap(await members.get(read.value.memberId)).value
  assert.equal(rest.address, 'Kyoto')
  assert.equal(
    unwrap(await members.update(rest.memberId, { ...rest, address: 'Nara' })).value.address,
    'Nara',
  )
})

test('reading a member again yields 304 until it has changed', async (t) => {
  const { members } = await start(t)
  const read = unwrap(await members.create(person))
  const again = unwrap(await members.get(read))
  assert.equal(again.status, 304)
  assert.equal(again.value, read.value)
  unwrap(await members.patch(read, { address: 'Kyoto' }))
  assert.equal(unwrap(await members.get(read)).value.address, 'Kyoto')
})

test('a refusal is a value with a code, a message in the chosen language, details and the track', async (t) => {
  const { api, todos } = await start(t, { language: 'ja' })
  const answer = await todos.create({ todoTitle: '' }, { track: 'mine' })
  assert.ok(!answer.ok)
  assert.equal(answer.status, 400)
  assert.equal(answer.code, 'e.xx.fw.7001')
  assert.equal(answer.message, 'リクエストボディの項目に入力エラーがあります。')
  assert.equal(answer.track, 'mine')
  assert.deepEqual(
    answer.details.map(({ code, target }) => [code, target]),
    [['Size', 'todoTitle']],
  )
  const [detail] = answer.details
  assert.throws(() => unwrap(answer), {
    name: RollcallError.name,
    message: `e.xx.fw.7001: ${answer.message} ${detail?.message} (track mine)`,
  })
  assert.ok(api.log.some(({ track }) => track === 'mine'))
})

test('members are found by name and read in the reduced view; a sign id in use is refused', async (t) => {
  const { members } = await start(t)
  const john = unwrap(await members.create(person)).value
  unwrap(
    await members.create({
      ...person,
      firstName: 'Jane',
      credential: { signId: 'jane', password: 'demodemo' },
    }),
  )
  const found = unwrap(await members.list({ name: 'jane' })).value
  assert.deepEqual(
    found.map(({ firstName }) => firstName),
    ['Jane'],
  )
  assert.deepEqual(unwrap(await members.getReduced(john.memberId)).value, {
    memberId: john.memberId,
    firstName: 'John',
    lastName: 'Smith',
  })
  const changed = await members.changeCredential(john.memberId, { signId: 'jane', password: 'demodemo' })
  assert.equal(changed.ok ? '' : changed.code, 'e.xx.yy.8001')
})

test('a creation whose answers are lost is retried with the same key and takes effect once', async (t) => {
  const { api, members } = await start(t)
  const wire = await spoilingProxy(t, api.url, [cut, cut])
  const created = unwrap(await rollcall(wire.url).members.create(person))
  assert.equal(new Set(wire.seen.map(({ key }) => key)).size, 1)
  assert.equal(wire.seen.length, 3)
  assert.deepEqual(unwrap(await members.list()).value, [created.value])
})

const unanswered = [
  ['a lost answer', cut, 'unreachable'],
  ['an unknown outcome', refusing('e.xx.fw.9002'), 'e.xx.fw.9002'],
] as const
for (const [what, spoil, code] of unanswered)
  test(`after ${what}, requests are retried, except updates and credential changes, whose retry only the caller can decide`, async (t) => {
    const { api, todos, members } = await start(t)
    const { value: todo } = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
    const read = unwrap(await members.create(person))
    const other = unwrap(
      await members.create({ ...person, credential: { signId: 'other', password: 'demodemo' } }),
    )
    const { credential, ...profile } = read.value
    const calls = {
      patch: (wire: Rollcall) => wire.members.patch(other, { address: 'Osaka' }),
      update: (wire: Rollcall) => wire.members.update(read, { ...profile, address: 'Kyoto' }),
      credential: (wire: Rollcall) =>
        wire.members.changeCredential(read.value.memberId, { password: 'password2' }),
      signId: (wire: Rollcall) => wire.members.patchCredential(other.value.memberId, { signId: 'renamed' }),
      finish: (wire: Rollcall) => wire.todos.finish(todo.todoId),
      create: (wire: Rollcall) => wire.todos.create({ todoTitle: 'Buy bread' }),
      remove: (wire: Rollcall) => wire.todos.remove(todo.todoId),
    }
    const outcomes: Record<string, unknown> = {}
    for (const [name, call] of Object.entries(calls)) {
      const wire = await spoilingProxy(t, api.url, [spoil])
      const answer = await call(rollcall(wire.url))
      outcomes[name] = `${answer.ok ? answer.status : answer.code} of ${wire.seen.length}`
    }
    assert.deepEqual(outcomes, {
      patch: '200 of 2',
      update: `${code} of 1`,
      credential: `${code} of 1`,
      signId: '200 of 2',
      finish: '200 of 2',
      create: '201 of 2',
      remove: '204 of 2',
    })
    assert.equal(unwrap(await todos.list()).value.length, 1)
  })

test('if an answer is lost and the retries are refused, a write results in "unreachable", and a read in the refusal', async (t) => {
  const { api, todos } = await start(t)
  const { value } = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  const calls = {
    create: (wire: Rollcall) => wire.todos.create({ todoTitle: 'Buy bread' }),
    finish: (wire: Rollcall) => wire.todos.finish(value.todoId),
    list: (wire: Rollcall) => wire.todos.list(),
  }
  const outcomes: Record<string, unknown> = {}
  for (const [name, call] of Object.entries(calls)) {
    const wire = await spoilingProxy(t, api.url, [cut, busy, refusing('e.xx.fw.9005')])
    const answer = await call(rollcall(wire.url, { retries: 2 }))
    outcomes[name] = answer.ok ? answer.status : answer.code
  }
  assert.deepEqual(outcomes, { create: 'unreachable', finish: 'unreachable', list: 'e.xx.fw.9005' })
  assert.equal(unwrap(await todos.list()).value.length, 2)
})

test('a creation repeated with the key of its caller is replayed', async (t) => {
  const { todos } = await start(t)
  const key = 'order 66'
  const first = unwrap(await todos.create({ todoTitle: 'Buy milk' }, { key }))
  const again = unwrap(await todos.create({ todoTitle: 'Buy milk' }, { key }))
  assert.equal(again.value.todoId, first.value.todoId)
  assert.deepEqual([first.replayed, again.replayed], [false, true])
})

test('a known list or page yields 304 until it has changed', async (t) => {
  const { todos } = await start(t)
  unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  const list = unwrap(await todos.list())
  const page = unwrap(await todos.page())
  const same = unwrap(await todos.list({}, { known: list }))
  assert.deepEqual([same.status, same.value === list.value], [304, true])
  assert.equal(unwrap(await todos.page({}, { known: page })).status, 304)
  unwrap(await todos.create({ todoTitle: 'Buy bread' }))
  assert.equal(unwrap(await todos.list({}, { known: same })).value.length, 2)
  assert.equal(unwrap(await todos.page({}, { known: page })).value.totalElements, 2)
})

test('a busy service is retried no sooner than its Retry-After', async (t) => {
  const { api } = await start(t)
  const wire = await spoilingProxy(t, api.url, [busy])
  unwrap(await rollcall(wire.url).todos.list())
  const [first, second] = wire.seen
  assert.ok(first && second && second.atMs - first.atMs >= 1000)
})

test('a request is not retried if Retry-After is longer than longestPauseMs', async (t) => {
  const { api } = await start(t)
  const wire = await spoilingProxy(t, api.url, [busy])
  const answer = await rollcall(wire.url, { longestPauseMs: 500 }).todos.list()
  assert.ok(!answer.ok)
  assert.equal(answer.code, 'e.xx.fw.9004')
  assert.equal(answer.retryAfterMs, 1000)
  assert.equal(wire.seen.length, 1)
})

test('a request without an answer is "unreachable", and an aborted one is "aborted"', async () => {
  const unreachable = rollcall(`http://127.0.0.1:${await freePort()}`, { retries: 1 })
  const answer = await unreachable.todos.list()
  assert.equal(answer.ok ? '' : answer.code, 'unreachable')
  const aborted = await unreachable.todos.list({}, { signal: AbortSignal.abort() })
  assert.equal(aborted.ok ? '' : aborted.code, 'aborted')
})

test('changes are followed from a cursor, page by page, as they are made', async (t) => {
  const api = await startApp(t)
  const { todos, changes } = rollcall(api.url)
  const { value: first } = unwrap(await todos.create({ todoTitle: 'a' }))
  const start = unwrap(await changes.list()).value
  assert.deepEqual(
    start.content.map(({ subject }) => subject),
    [first.todoId],
  )
  const { value: beginning } = await changes.follow({ after: 'latest' }).next()
  assert.deepEqual(beginning, { content: [], cursor: start.cursor, more: false })
  const stop = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const { content } of changes.follow({ after: start.cursor }, { signal: stop.signal })) {
      seen.push(...content.map(({ type }) => type))
      if (seen.length >= 2) return
    }
  })()
  await todos.finish(first.todoId)
  await todos.remove(first.todoId)
  await following
  assert.deepEqual(seen, ['todo.updated', 'todo.deleted'])
  const past = await Array.fromAsync(todos.history(first.todoId))
  assert.deepEqual(
    past.map(({ value }) => value?.finished),
    [undefined, true, false],
  )
})
