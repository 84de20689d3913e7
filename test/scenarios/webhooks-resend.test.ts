import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { asRoot, fieldOf, root } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import { databases } from '../engines.ts'
import { john } from '../people.ts'
import { until } from '../postgres-notes.ts'
import { isSigned, startReceiver, withStatus } from '../receiver.ts'
import { addTodos, contentOf, createWebhook, onlyTodos, startWithWebhooks, stateOf } from '../webhooks.ts'
import { body } from './table.ts'

for (const { name, url, skip } of databases) {
  test(`${name}: a delivery shows its body, and is sent again with the same id and a new signature`, {
    skip,
  }, async (t) => {
    const api = await startWithWebhooks(t, { DATABASE_URL: await url(t) })
    const receiver = await startReceiver(t)
    const { id, secret } = await createWebhook(api, receiver.url, { ...onlyTodos, values: true })
    await addTodos(api, 'one', 'two', 'three')
    await until(async () => contentOf(await api(`GET /webhooks/${id}/deliveries`)).length === 3)
    const [, delivery] = contentOf(await api(`GET /webhooks/${id}/deliveries`))
    const path = `/webhooks/${id}/deliveries/${delivery?.deliveryId}`
    const shown = body(await api(`GET ${path}`))
    assert.deepEqual(shown, { ...delivery, body: receiver.received[1]?.body })
    assert.equal(JSON.parse(String(shown.body)).data.value.todoTitle, 'two')
    receiver.answering = withStatus(500)
    const again = await api(`POST ${path}/resend`)
    const { changeId, type, attempt, status } = body(again)
    assert.deepEqual(
      { changeId, type, attempt, status },
      { ...{ changeId: delivery?.changeId, type: 'todo.created' }, attempt: 2, status: 500 },
    )
    const last = receiver.received.at(-1)
    assert.ok(last && isSigned(last, secret))
    assert.deepEqual([last.headers['webhook-id'], last.body], [delivery?.changeId, shown.body])
    assert.equal(receiver.received.length, 4)
    assert.equal(body(await api(`POST ${path}/resend`)).attempt, 3)
    receiver.received.pop()
    assert.equal((await stateOf(api, id)).state, 'delivering')
    assert.deepEqual(contentOf(await api(`GET /webhooks/${id}/deliveries`))[1], body(again))
    assert.equal((await api(`GET /webhooks/${id}/deliveries/${id}`)).status, 404)
    assert.equal(
      (await api(`POST /webhooks/${changeId}/deliveries/${delivery?.deliveryId}/resend`)).status,
      404,
    )
  })

  test(`${name}: a delivery whose change is not in the log shows no body, and is not sent again`, {
    skip,
  }, async (t) => {
    const DATABASE_URL = await url(t)
    const receiver = await startReceiver(t)
    const before = await startWithWebhooks(t, { DATABASE_URL })
    const { id } = await createWebhook(before, receiver.url, { ...onlyTodos })
    await before(`POST /webhooks/${id}/test`)
    await addTodos(before, 'one', 'two')
    await until(async () => contentOf(await before(`GET /webhooks/${id}/deliveries`)).length === 3)
    await before.close()
    const db = await openDatabase(DATABASE_URL)
    await db.run(raw('DELETE FROM change WHERE number < (SELECT max(number) FROM change)'))
    await db.close()
    const api = await startWithWebhooks(t, { DATABASE_URL })
    const [kept, swept, tested] = contentOf(await api(`GET /webhooks/${id}/deliveries`))
    const goneOnes = [
      [swept, 'e.xx.wh.8003'],
      [tested, 'e.xx.wh.8004'],
    ] as const
    for (const [gone, code] of goneOnes) {
      const path = `/webhooks/${id}/deliveries/${gone?.deliveryId}`
      assert.equal(body(await api(`GET ${path}`)).body, null)
      const refused = await api(`POST ${path}/resend`)
      assert.deepEqual([refused.status, fieldOf(refused, 'code')], [409, code])
    }
    assert.equal(receiver.received.length, 3)
    assert.equal((await api(`POST /webhooks/${id}/deliveries/${kept?.deliveryId}/resend`)).status, 201)
  })

  test(`${name}: the body of a delivery shows nothing of a member that was erased since`, {
    skip,
  }, async (t) => {
    const api = await startWithWebhooks(t, { DATABASE_URL: await url(t) })
    const receiver = await startReceiver(t)
    const { id } = await createWebhook(api, receiver.url, { types: ['member.created'], values: true })
    const memberId = fieldOf(await api('POST /members', john), 'memberId')
    await until(async () => contentOf(await api(`GET /webhooks/${id}/deliveries`)).length === 1)
    const [delivery] = contentOf(await api(`GET /webhooks/${id}/deliveries`))
    const path = `/webhooks/${id}/deliveries/${delivery?.deliveryId}`
    assert.equal(JSON.parse(String(body(await api(`GET ${path}`)).body)).data.value.memberId, memberId)
    assert.equal((await api(`DELETE /members/${memberId}?erase=true`)).status, 204)
    assert.equal(JSON.parse(String(body(await api(`GET ${path}`)).body)).data.value, null)
  })
}

test('a key that only reads webhooks sees the deliveries, but neither reads a body nor sends one again', async (t) => {
  const api = await startWithWebhooks(t, {
    ACCESS: 'basic',
    ADMIN_SIGN_ID: root.signId,
    ADMIN_PASSWORD: root.password,
  })
  const receiver = await startReceiver(t)
  const made = await api('POST /webhooks', { url: receiver.url }, asRoot)
  const id = fieldOf(made, 'webhookId')
  await until(async () => receiver.received.length === 1)
  await until(
    async () => contentOf(await api(`GET /webhooks/${id}/deliveries`, undefined, asRoot)).length === 1,
  )
  const keyFor = async (scope: string) =>
    bearer(fieldOf(await api('POST /keys', { name: scope, scopes: [scope] }, asRoot), 'secret'))
  const reading = await keyFor('webhooks:read')
  const changing = await keyFor('webhooks:update')
  const listed = await api(`GET /webhooks/${id}/deliveries`, undefined, reading)
  const path = `/webhooks/${id}/deliveries/${contentOf(listed).at(-1)?.deliveryId}`
  const statuses = async (headers: Readonly<Record<string, string>>) => [
    (await api(`GET ${path}`, undefined, headers)).status,
    (await api(`POST ${path}/resend`, undefined, headers)).status,
  ]
  assert.deepEqual(await statuses(reading), [403, 403])
  assert.deepEqual(await statuses(changing), [403, 201])
})
