import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ClientOptions, type Rollcall, RollcallError, rollcall, unwrap } from '#src/client/index.ts'
import { startApp } from '../harness.ts'
import { between, busy, cut, refusing } from './between.ts'

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
})

test('what is finished twice by the answer that was read is finished', async (t) => {
  const { todos } = await start(t)
  const created = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  for (let round = 0; round < 2; round++)
    assert.equal(unwrap(await todos.finish(created)).value.finished, true)
})

test('the address that the start prints is taken, with the prefix of the API', async (t) => {
  const { api } = await start(t)
  for (const address of [`${api.url}/api/v1`, `${api.url}/api/v1/`, `${api.url}/`])
    assert.deepEqual(unwrap(await rollcall(address).todos.list()).value, [])
})

test('a change is made to the version that was read, and to no other', async (t) => {
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

test('what was read is read again only if it has changed', async (t) => {
  const { members } = await start(t)
  const read = unwrap(await members.create(person))
  const again = unwrap(await members.get(read))
  assert.equal(again.status, 304)
  assert.equal(again.value, read.value)
  unwrap(await members.patch(read, { address: 'Kyoto' }))
  assert.equal(unwrap(await members.get(read)).value.address, 'Kyoto')
})

test('a refusal is a value with a code, a message in the language asked for, details and the track', async (t) => {
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

test('members are found by name, shown reduced, and get another credential', async (t) => {
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

test('a creation whose answers are lost is asked for again with the same key, and happens once', async (t) => {
  const { api, members } = await start(t)
  const wire = await between(t, api.url, [cut, cut])
  const created = unwrap(await rollcall(wire.url).members.create(person))
  assert.equal(new Set(wire.seen.map(({ key }) => key)).size, 1)
  assert.equal(wire.seen.length, 3)
  assert.deepEqual(unwrap(await members.list()).value, [created.value])
})

test('a patch of one version whose answer is lost is told that it was done', async (t) => {
  const { api, members } = await start(t)
  const read = unwrap(await members.create(person))
  const wire = await between(t, api.url, [cut])
  const patched = unwrap(await rollcall(wire.url).members.patch(read, { address: 'Kyoto' }))
  assert.equal(patched.value.address, 'Kyoto')
})

test('an update of one version whose answer is lost is not repeated: only its reader knows what to do', async (t) => {
  const { api, members } = await start(t)
  const read = unwrap(await members.create(person))
  const wire = await between(t, api.url, [cut])
  const { credential, ...profile } = read.value
  const answer = await rollcall(wire.url).members.update(read, { ...profile, address: 'Kyoto' })
  assert.equal(answer.ok ? '' : answer.code, 'unreachable')
  assert.equal(wire.seen.length, 1)
})

test('a change of a credential whose answer is lost is not repeated: the password that proves it is gone', async (t) => {
  const { api, members } = await start(t)
  const { value } = unwrap(await members.create(person))
  const wire = await between(t, api.url, [cut])
  const answer = await rollcall(wire.url).members.changeCredential(value.memberId, { password: 'password2' })
  assert.deepEqual([answer.ok ? '' : answer.code, wire.seen.length], ['unreachable', 1])
})

test('a deletion whose answer is lost is done, although nothing is there the second time', async (t) => {
  const { api, todos } = await start(t)
  const { value } = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  const wire = await between(t, api.url, [cut])
  assert.equal(unwrap(await rollcall(wire.url).todos.remove(value.todoId)).status, 204)
})

test('a deletion of what was never there is refused', async (t) => {
  const { todos } = await start(t)
  const answer = await todos.remove('nobody-knows')
  assert.deepEqual([answer.ok, answer.status], [false, 404])
})

test('where storage may have done it or not, a change of one version is left to its reader, and others are asked again', async (t) => {
  const { api, todos, members } = await start(t)
  const unclear = refusing('e.xx.fw.9002')
  const { value: todo } = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  const read = unwrap(await members.create(person))
  const { credential, ...profile } = read.value
  const calls = {
    update: (wire: Rollcall) => wire.members.update(read, { ...profile, address: 'Kyoto' }),
    credential: (wire: Rollcall) =>
      wire.members.changeCredential(read.value.memberId, { password: 'password2' }),
    finish: (wire: Rollcall) => wire.todos.finish(todo.todoId),
    create: (wire: Rollcall) => wire.todos.create({ todoTitle: 'Buy bread' }),
    remove: (wire: Rollcall) => wire.todos.remove(todo.todoId),
  }
  const told: Record<string, unknown> = {}
  for (const [name, call] of Object.entries(calls)) {
    const wire = await between(t, api.url, [unclear])
    const answer = await call(rollcall(wire.url))
    told[name] = answer.ok ? `${answer.status} of ${wire.seen.length}` : answer.code
  }
  assert.deepEqual(told, {
    update: 'e.xx.fw.9002',
    credential: 'e.xx.fw.9002',
    finish: '200 of 2',
    create: '201 of 2',
    remove: '204 of 2',
  })
  assert.equal(unwrap(await todos.list()).value.length, 1)
})

test('where an answer was lost and its repetition is turned away unread, the caller hears that it may be done', async (t) => {
  const { api, todos } = await start(t)
  const { value } = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  const calls = {
    create: (wire: Rollcall) => wire.todos.create({ todoTitle: 'Buy bread' }),
    finish: (wire: Rollcall) => wire.todos.finish(value.todoId),
    list: (wire: Rollcall) => wire.todos.list(),
  }
  const told: Record<string, unknown> = {}
  for (const [name, call] of Object.entries(calls)) {
    const wire = await between(t, api.url, [cut, busy, refusing('e.xx.fw.9005')])
    const answer = await call(rollcall(wire.url, { retries: 2 }))
    told[name] = answer.ok ? answer.status : answer.code
  }
  assert.deepEqual(told, { create: 'unreachable', finish: 'unreachable', list: 'e.xx.fw.9005' })
  assert.equal(unwrap(await todos.list()).value.length, 2)
})

test('a creation goes under the key of its caller, which may outlive it', async (t) => {
  const { todos } = await start(t)
  const key = 'order 66'
  const first = unwrap(await todos.create({ todoTitle: 'Buy milk' }, { key }))
  const again = unwrap(await todos.create({ todoTitle: 'Buy milk' }, { key }))
  assert.equal(again.value.todoId, first.value.todoId)
  assert.deepEqual([first.replayed, again.replayed], [false, true])
})

test('a list that is known is sent again only if it has changed', async (t) => {
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

test('a busy service is asked again no sooner than it said', async (t) => {
  const { api } = await start(t)
  const wire = await between(t, api.url, [busy])
  unwrap(await rollcall(wire.url).todos.list())
  const [first, second] = wire.seen
  assert.ok(first && second && second.atMs - first.atMs >= 1000)
})

test('a service whose issuer cannot be reached is asked again: it has done nothing', async (t) => {
  const { api } = await start(t)
  const wire = await between(t, api.url, [refusing('e.xx.fw.9006')])
  unwrap(await rollcall(wire.url).todos.list())
  assert.equal(wire.seen.length, 2)
})

test('a service that asks for more patience than the caller has is not asked again', async (t) => {
  const { api } = await start(t)
  const wire = await between(t, api.url, [busy])
  const answer = await rollcall(wire.url, { longestPauseMs: 500 }).todos.list()
  assert.ok(!answer.ok)
  assert.equal(answer.code, 'e.xx.fw.9004')
  assert.equal(answer.retryAfterMs, 1000)
  assert.equal(wire.seen.length, 1)
})

test('where nobody answers, that is what the failure says; where the caller gave up, too', async () => {
  const nobody = rollcall('http://127.0.0.1:9', { retries: 1 })
  const answer = await nobody.todos.list()
  assert.equal(answer.ok ? '' : answer.code, 'unreachable')
  assert.equal(answer.ok ? '' : answer.message, 'fetch refuses the port as unsafe')
  const given = await nobody.todos.list({}, { signal: AbortSignal.abort() })
  assert.equal(given.ok ? '' : given.code, 'aborted')
})
