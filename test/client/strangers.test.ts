import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RollcallError, rollcall, unwrap } from '#src/client/index.ts'
import { john, startApp } from '../harness.ts'
import { between, halve, inPlace, redirectTo, strange } from './between.ts'

test('a page that is not found is not the answer of the service: nothing was removed', async (t) => {
  const gateway = await inPlace(t, [strange(502, '<h1>Bad Gateway</h1>'), strange(404, '404 page not found')])
  const answer = await rollcall(gateway.url).todos.remove('1')
  assert.ok(!answer.ok)
  assert.deepEqual([answer.code, answer.status, gateway.asked()], ['unintelligible', 404, 2])
  assert.equal(answer.message, "An answer with status 404 that is not the service's.")
})

test('a creation that a redirect turned into reading is not done, and one that it left a creation is', async (t) => {
  const api = await startApp(t)
  const { members } = rollcall(api.url)
  for (const status of [301, 302, 303]) {
    const moved = await inPlace(t, [redirectTo(status, `${api.url}/api/v1/members`)])
    const answer = await rollcall(moved.url).members.create(john)
    assert.ok(!answer.ok)
    assert.deepEqual([answer.code, answer.status, moved.asked()], ['unintelligible', 200, 1])
    assert.match(answer.message, /, redirected to http:.*\/api\/v1\/members\.$/)
  }
  assert.deepEqual(unwrap(await members.list()).value, [])
  for (const status of [307, 308]) {
    const moved = await inPlace(t, [redirectTo(status, `${api.url}/api/v1/members`)])
    const email = `${status}@example.com`
    const made = unwrap(await rollcall(moved.url).members.create({ ...john, emailAddress: email }))
    assert.deepEqual([made.status, made.value.emailAddress], [201, email])
  }
})

test('a deletion that a redirect turned into reading is not done', async (t) => {
  const api = await startApp(t)
  const { todos } = rollcall(api.url)
  const { value } = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  const moved = await inPlace(t, [redirectTo(303, `${api.url}/api/v1/todos/${value.todoId}`)])
  const answer = await rollcall(moved.url).todos.remove(value.todoId)
  assert.equal(answer.ok ? '' : answer.code, 'unintelligible')
})

test('an answer that does not name its request is not the service’s, however well it ends', async (t) => {
  for (const body of ['', 'null', '{"status":"ok"}', '[]', '<h1>Sign in</h1>']) {
    const gateway = await inPlace(t, [strange(200, body)])
    const { todos } = rollcall(gateway.url)
    for (const answer of [
      await todos.list(),
      await todos.page(),
      await todos.get('1'),
      await todos.finish('1'),
    ])
      assert.equal(answer.ok ? '' : answer.code, 'unintelligible', body)
    await assert.rejects(todos.each().next(), RollcallError)
  }
})

test('an answer that is cut where nothing says how long it is is asked for again', async (t) => {
  const api = await startApp(t)
  const wire = await between(t, api.url, [halve(201), undefined, halve(200)])
  const { todos } = rollcall(wire.url)
  const { value } = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  assert.deepEqual([value.todoTitle, wire.seen.length], ['Buy milk', 2])
  assert.deepEqual(unwrap(await todos.list()).value, [value])
})
