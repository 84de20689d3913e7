import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RollcallError, rollcall, unwrap } from '#src/client/index.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { foreignAnswer, halve, redirectTo, spoilingProxy, standIn } from './stand-ins.ts'

test('a 404 that is not from the service does not count as a removal', async (t) => {
  const gateway = await standIn(t, [
    foreignAnswer(502, '<h1>Bad Gateway</h1>'),
    foreignAnswer(404, '404 page not found'),
  ])
  const answer = await rollcall(gateway.url).todos.remove('1')
  assert.ok(!answer.ok)
  assert.deepEqual([answer.code, answer.status, gateway.asked()], ['unintelligible', 502, 2])
  assert.equal(answer.message, 'An answer with status 502 that is not from the service.')
})

test('a redirect is not followed: no password or body goes to another host', async (t) => {
  const thief = await standIn(t, [foreignAnswer(200, '{}')])
  const auth = { signId: 'mary', password: 'demodemo' }
  for (const status of [301, 302, 303, 307, 308]) {
    const moved = await standIn(t, [redirectTo(status, `${thief.url}/api/v1/members`)])
    const { members } = rollcall(moved.url, { auth })
    for (const answer of [await members.list(), await members.create(john), await members.remove('1')]) {
      assert.ok(!answer.ok)
      assert.deepEqual([answer.code, answer.status], ['unintelligible', status])
      assert.equal(
        answer.message,
        `A redirect to ${thief.url}/api/v1/members, which is not followed: the service never redirects.`,
      )
    }
    assert.equal(moved.asked(), 3)
  }
  assert.equal(thief.asked(), 0)
})

test('a 200 without X-Track is "unintelligible", because the service did not send it', async (t) => {
  for (const body of ['', 'null', '{"status":"ok"}', '[]', '<h1>Sign in</h1>']) {
    const gateway = await standIn(t, [foreignAnswer(200, body)])
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

test('a failure that is not from the service has the track id that was sent', async (t) => {
  const gateway = await standIn(t, [foreignAnswer(404, '<h1>Not here</h1>')])
  const answer = await rollcall(gateway.url).todos.list({}, { track: 'mine' })
  assert.equal(answer.track, 'mine')
})

test('a truncated answer without a length is retried', async (t) => {
  const api = await startApp(t)
  const wire = await spoilingProxy(t, api.url, [halve(201), undefined, halve(200)])
  const { todos } = rollcall(wire.url)
  const { value } = unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  assert.deepEqual([value.todoTitle, wire.seen.length], ['Buy milk', 2])
  assert.deepEqual(unwrap(await todos.list()).value, [value])
})
