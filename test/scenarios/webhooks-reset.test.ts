import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { newLogName } from '#ledger/change-reader.ts'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { stoppedClock } from '../access/callers.ts'
import { freshFolder } from '../fresh-folder.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { until } from '../postgres-notes.ts'
import { openPair } from '../postgres-pair.ts'
import { isSigned, startReceiver, withStatus } from '../receiver.ts'
import { addTodos, createWebhook, onlyTodos, startWithWebhooks, stateOf, untilState } from '../webhooks.ts'
import { expectAnswer } from './table.ts'

const skip = await noPostgres()

test('after a failover that lost changes, a webhook.reset names the last number that still holds', {
  skip,
}, async (t) => {
  const pair = await openPair({ directory: freshFolder(), isSynchronous: false })
  t.after(pair.close)
  const receiver = await startReceiver(t)
  const api = await startWithWebhooks(t, { DATABASE_URL: pair.url })
  const { id, secret } = await createWebhook(api, receiver.url, onlyTodos)
  // A delivery may be repeated.
  const received = () => [
    ...new Map(receiver.received.map((one) => [one.headers['webhook-id'], one])).values(),
  ]
  await addTodos(api, 'kept')
  await until(async () => received().length === 1 && (await stateOf(api, id)).pending === 0)
  const [{ place } = { place: '' }] = await pair.primary.ask('SELECT pg_current_wal_lsn()::text AS place')
  await until(async () => {
    const [row] = await pair.standby.ask(`SELECT pg_last_wal_replay_lsn() >= '${place}' AS reached`)
    return row?.reached === true
  })
  pair.link.turn({ is: 'blackhole' })
  await addTodos(api, 'lost', 'lost too')
  await until(() => received().length === 3)
  await pair.primary.stop('SIGKILL')
  await pair.promote()
  await until(async () => (await api('POST /todos', { todoTitle: 'new' })).status === 201)
  await until(() => received().length >= 5)
  const [kept, , , reset, anew] = received()
  const next = String(Number(kept?.sequence) + 1)
  assert.deepEqual(
    [reset?.type, reset?.subject, anew?.type, anew?.sequence],
    ['webhook.reset', id, 'todo.created', next],
  )
  assert.ok(reset && isSigned(reset, secret))
  assert.equal(reset.sequence, kept?.sequence)
  await addTodos(api, 'more')
  await until(() => received().length >= 6)
  assert.equal(received().filter(({ type }) => type === 'webhook.reset').length, 1)
  assert.equal((await stateOf(api, id)).state, 'delivering')
})

test('after a restore, a webhook with a new position gets a webhook.reset first, until it has arrived', async (t) => {
  const DATABASE_URL = `sqlite:${join(freshFolder(), 'test.db')}`
  const receiver = await startReceiver(t)
  const first = await startWithWebhooks(t, { DATABASE_URL })
  const { id } = await createWebhook(first, receiver.url, { types: ['todo.created'] })
  await addTodos(first, 'a')
  await until(() => receiver.received.length === 1)
  await first.close()
  const db = await openDatabase(DATABASE_URL)
  await db.run(raw(newLogName))
  await db.close()
  const clock = stoppedClock()
  const api = await startWithWebhooks(t, { DATABASE_URL }, { clock })
  await untilState(api, id, 'lapsed')
  receiver.answering = withStatus(500)
  expectAnswer(await api(`PUT /webhooks/${id}/position`, { after: 'latest' }), { status: 200 })
  await untilState(api, id, 'retrying')
  receiver.answering = withStatus(204)
  await addTodos(api, 'b')
  clock.pass(6_000)
  await until(() => receiver.received.length === 4)
  const types = receiver.received.map(({ type }) => type)
  assert.deepEqual(types, ['todo.created', 'webhook.reset', 'webhook.reset', 'todo.created'])
  const [, one, again, next] = receiver.received
  assert.equal(one?.headers['webhook-id'], again?.headers['webhook-id'])
  assert.equal(Number(next?.sequence), Number(again?.sequence) + 1)
})

test('a webhook whose next change was swept becomes lapsed while it waits to retry', { skip }, async (t) => {
  const DATABASE_URL = await freshDatabase(t)
  const clock = stoppedClock()
  const receiver = await startReceiver(t, withStatus(500))
  const api = await startWithWebhooks(t, { DATABASE_URL }, { clock })
  const { id } = await createWebhook(api, receiver.url, onlyTodos)
  await addTodos(api, 'a', 'b')
  await untilState(api, id, 'retrying')
  clock.pass(6_000)
  await until(() => receiver.received.length === 2)
  await until(async () => (await stateOf(api, id)).lastStatus === 500)
  await administer(DATABASE_URL, 'DELETE FROM change WHERE number < (SELECT max(number) FROM change)')
  assert.partialDeepStrictEqual(await stateOf(api, id), { state: 'lapsed', pending: null })
  clock.pass(61_000)
  await until(async () => {
    const [row] = await administer(DATABASE_URL, 'SELECT state FROM webhook_place')
    return row?.state === 'lapsed'
  })
  assert.equal(receiver.received.length, 2)
})
