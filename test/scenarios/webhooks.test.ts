import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pausesMs } from '#resources/webhook/courier.ts'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { fieldOf, stoppedClock } from '../access/callers.ts'
import { databases } from '../engines.ts'
import { john, person } from '../people.ts'
import { until } from '../postgres-notes.ts'
import { isSigned, startReceiver, withStatus } from '../receiver.ts'
import {
  addTodos,
  contentOf,
  createWebhook,
  hour,
  onlyTodos,
  startWithWebhooks,
  stateOf,
  subjects,
  untilState,
} from '../webhooks.ts'
import { mergePatch } from './table.ts'

for (const { name, url, skip } of databases) {
  test(`${name}: every change is delivered once, in order, signed, as the feed shows it`, {
    skip,
  }, async (t) => {
    const api = await startWithWebhooks(t, { DATABASE_URL: await url(t) })
    const receiver = await startReceiver(t)
    const { id, secret } = await createWebhook(api, receiver.url)
    const [one = ''] = await addTodos(api, 'a', 'b')
    await api(`PUT /todos/${one}`)
    await api('POST /keys', { name: 'report', scopes: ['todos:read'] })
    await until(() => receiver.received.length >= 5)
    await until(async () => (await stateOf(api, id)).pending === 0)
    const { received } = receiver
    const listed = contentOf(await api('GET /changes'))
    assert.deepEqual(
      received.map((one) => JSON.parse(one.body)),
      listed,
    )
    assert.equal(received[0]?.body, JSON.stringify(listed[0]))
    assert.deepEqual(
      received.map(({ type }) => type),
      ['webhook.created', 'todo.created', 'todo.created', 'todo.updated', 'key.created'],
    )
    for (const one of received) {
      assert.ok(isSigned(one, secret))
      assert.ok(!isSigned({ ...one, body: `${one.body} ` }, secret))
      assert.equal(one.headers['webhook-id'], one.id)
      assert.equal(one.headers['content-type'], 'application/json')
    }
    const deliveries = contentOf(await api(`GET /webhooks/${id}/deliveries`))
    assert.deepEqual(
      deliveries.map(({ changeId }) => changeId),
      received.map(({ id }) => id).reverse(),
    )
    const { state, lastStatus, lastError } = await stateOf(api, id)
    assert.deepEqual(
      { state, lastStatus, lastError },
      { state: 'delivering', lastStatus: 204, lastError: null },
    )
    const { status, attempt } = deliveries[0] ?? {}
    assert.deepEqual({ status, attempt }, { status: 204, attempt: 1 })
  })

  test(`${name}: a webhook lapses when its next change is no longer kept, until it gets a new position`, {
    skip,
  }, async (t) => {
    const DATABASE_URL = await url(t)
    const api = await startWithWebhooks(t, { DATABASE_URL })
    const receiver = await startReceiver(t)
    const { id } = await createWebhook(api, receiver.url, { ...onlyTodos, active: false })
    await addTodos(api, 'a', 'b')
    await api.close()
    const db = await openDatabase(DATABASE_URL)
    await db.run(raw('DELETE FROM change WHERE number < (SELECT max(number) FROM change)'))
    await db.close()
    const again = await startWithWebhooks(t, { DATABASE_URL })
    assert.equal((await stateOf(again, id)).pending, null)
    await again(`PATCH /webhooks/${id}`, { active: true }, mergePatch)
    await untilState(again, id, 'lapsed')
    assert.deepEqual(receiver.received, [])
    const refused = await again(`PUT /webhooks/${id}/position`, { after: null })
    assert.deepEqual([refused.status, fieldOf(refused, 'code')], [410, 'e.xx.fw.5002'])
    assert.equal((await again(`PUT /webhooks/${id}/position`, { after: 'latest' })).status, 200)
    const ids = await addTodos(again, 'c')
    await until(() => receiver.received.length === 1)
    assert.deepEqual(subjects(receiver.received), ids)
  })

  // The rest says nothing of the engine.
  if (name !== 'SQLite') continue

  test(`${name}: with values=true, each delivery has the record after the change, without its credential, and nothing of an erased record`, {
    skip,
  }, async (t) => {
    const api = await startWithWebhooks(t, { DATABASE_URL: await url(t) })
    const receiver = await startReceiver(t, withStatus(500))
    const sent = () => receiver.received.map(({ body }) => JSON.parse(body))
    const { id } = await createWebhook(api, receiver.url, {
      types: ['member.*', 'todo.*', 'key.*'],
      values: true,
    })
    const todo = (await api('POST /todos', { todoTitle: 'Milk' })).body as { todoId: string }
    const { memberId } = (await api('POST /members', john)).body as { memberId: string }
    await api(`PATCH /members/${memberId}`, { address: 'Kyoto' }, mergePatch)
    const erased = (await api('POST /members', person({ firstName: 'Gone' }))).body as { memberId: string }
    await api(`DELETE /members/${erased.memberId}?erase=true`)
    await api('POST /keys', { name: 'report', scopes: ['todos:read'] })
    receiver.answering = withStatus(204)
    receiver.received.splice(0)
    await api(`PUT /webhooks/${id}/position`, { after: null })
    await until(() => receiver.received.length >= 6)
    const values = sent().map(({ type, data }) => [
      type,
      data.value?.todoTitle ?? data.value?.address ?? data.value,
    ])
    const detailed = (await api(`GET /members/${memberId}?view=detailed`)).body as { address: string }
    assert.equal(detailed.address, 'Kyoto')
    assert.deepEqual(sent()[0].data.value, todo)
    assert.deepEqual(sent()[2].data.value, detailed)
    assert.deepEqual(values, [
      ['todo.created', 'Milk'],
      ['member.created', john.address],
      ['member.updated', 'Kyoto'],
      ['member.created', null],
      ['member.deleted', null],
      ['key.created', null],
    ])
    assert.doesNotMatch(JSON.stringify(sent().map(({ data }) => data.value)), /credential|signId|argon2/)
    await until(async () => (await stateOf(api, id)).pending === 0)
  })

  test(`${name}: a restart neither loses nor skips a change`, { skip }, async (t) => {
    const settings = { DATABASE_URL: await url(t) }
    const receiver = await startReceiver(t)
    const ids: string[] = []
    let api = await startWithWebhooks(t, settings)
    await createWebhook(api, receiver.url, onlyTodos)
    for (let round = 0; round < 3; round++) {
      ids.push(...(await addTodos(api, 'a', 'b', 'c')))
      if (round === 1) receiver.answering = withStatus(500)
      await api.close()
      receiver.answering = withStatus(204)
      api = await startWithWebhooks(t, settings, { clock: { now: () => Date.now() + round * hour } })
    }
    await until(() => new Set(subjects(receiver.received)).size === ids.length)
    const firsts = subjects(receiver.received).filter((one, at, all) => all.indexOf(one) === at)
    assert.deepEqual(firsts, ids)
  })

  test(`${name}: a receiver that comes back after hours gets everything, in order`, { skip }, async (t) => {
    const clock = stoppedClock()
    const api = await startWithWebhooks(t, { DATABASE_URL: await url(t) }, { clock })
    const receiver = await startReceiver(t, withStatus(503))
    const { id } = await createWebhook(api, receiver.url, onlyTodos)
    const ids = await addTodos(api, 'a', 'b', 'c')
    for (const [at, pauseMs] of pausesMs.slice(0, 5).entries()) {
      await until(() => receiver.received.length === at + 1)
      await untilState(api, id, 'retrying')
      clock.pass(pauseMs * 1.1)
    }
    await until(() => receiver.received.length === 6)
    assert.deepEqual(new Set(subjects(receiver.received)), new Set(ids.slice(0, 1)))
    await until(async () => contentOf(await api(`GET /webhooks/${id}/deliveries`))[0]?.attempt === 6)
    const { lastStatus, pending } = await stateOf(api, id)
    assert.deepEqual({ lastStatus, pending }, { lastStatus: 503, pending: 3 })
    receiver.answering = withStatus(200)
    clock.pass(12 * hour)
    await untilState(api, id, 'delivering')
    await until(() => receiver.received.length === 9)
    assert.deepEqual(subjects(receiver.received.slice(6)), ids)
  })
}
