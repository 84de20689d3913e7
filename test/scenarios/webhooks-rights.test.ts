import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asRoot, fieldOf, root } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import { john } from '../people.ts'
import { until } from '../postgres-notes.ts'
import { startReceiver } from '../receiver.ts'
import { contentOf, startWithWebhooks } from '../webhooks.ts'
import { body, mergePatch } from './table.ts'

const basic = { ACCESS: 'basic', ADMIN_SIGN_ID: root.signId, ADMIN_PASSWORD: root.password }
const ofWebhooks = ['webhooks:read', 'webhooks:create', 'webhooks:update']
const ofMembers = { types: ['member.*'], values: true }

test('a key can make a webhook that sends records only if the key may read these records and their changes', async (t) => {
  const api = await startWithWebhooks(t, basic)
  const receiver = await startReceiver(t)
  const url = receiver.url
  const keyWith = async (...scopes: readonly string[]) => {
    const key = await api('POST /keys', { name: 'hooks', scopes: [...ofWebhooks, ...scopes] }, asRoot)
    return bearer(fieldOf(key, 'secret'))
  }
  const plain = await keyWith()
  const onlyChanges = await keyWith('changes:read')
  const onlyMembers = await keyWith('changes:read', 'members:read')
  const all = await keyWith('changes:read', 'members:read', 'todos:read')
  const create = async (more: object, as: Readonly<Record<string, string>>) =>
    (await api('POST /webhooks', { url, ...more }, as)).status

  const refused = await api('POST /webhooks', { url, ...ofMembers }, plain)
  assert.deepEqual([refused.status, fieldOf(refused, 'code')], [403, 'e.xx.fw.4003'])
  assert.match(refused.text, /right to read what is sent: changes:read, members:read\./)
  assert.equal(await create(ofMembers, onlyChanges), 403)
  assert.equal(await create(ofMembers, onlyMembers), 201)
  assert.equal(await create({ values: true }, onlyMembers), 403)
  assert.equal(await create({ values: true }, all), 201)
  assert.equal(await create({ types: ['key.*'], values: true }, onlyChanges), 201)
  assert.equal(await create({}, plain), 201)

  const id = fieldOf(await api('POST /webhooks', { url, ...ofMembers }, asRoot), 'webhookId')
  await api('POST /members', john, asRoot)
  const listed = () => api(`GET /webhooks/${id}/deliveries`, undefined, plain)
  await until(async () => contentOf(await listed()).length === 1)
  const delivery = `/webhooks/${id}/deliveries/${contentOf(await listed())[0]?.deliveryId}`
  const attempts: readonly [line: string, sent?: object][] = [
    [`PATCH /webhooks/${id}`, { url: `${url}/2` }],
    [`PATCH /webhooks/${id}`, { types: ['member.created'] }],
    [`POST /webhooks/${id}/secret`],
    [`PUT /webhooks/${id}/position`, { after: 'oldest' }],
    [`POST ${delivery}/resend`],
    [`GET ${delivery}`],
  ]
  const tryAs = async (as: Readonly<Record<string, string>>) => {
    const statuses: number[] = []
    for (const [line, sent] of attempts)
      statuses.push((await api(line, sent, line.startsWith('PATCH') ? { ...mergePatch, ...as } : as)).status)
    return statuses
  }
  assert.deepEqual(await tryAs(plain), [403, 403, 403, 403, 403, 403])
  assert.deepEqual(await tryAs(onlyChanges), [403, 403, 403, 403, 403, 403])
  assert.deepEqual(await tryAs(onlyMembers), [200, 200, 201, 200, 201, 200])
})

test('a key without these rights may still change the other properties of such a webhook, and delete it', async (t) => {
  const api = await startWithWebhooks(t, basic)
  const { url } = await startReceiver(t)
  const key = await api('POST /keys', { name: 'hooks', scopes: ofWebhooks }, asRoot)
  const as = { ...bearer(fieldOf(key, 'secret')), ...mergePatch }
  const id = fieldOf(await api('POST /webhooks', { url, ...ofMembers }, asRoot), 'webhookId')
  const patch = async (sent: object) => (await api(`PATCH /webhooks/${id}`, sent, as)).status
  const described = { description: 'index', active: false }
  assert.deepEqual([await patch(described), await patch(described)], [200, 200])
  assert.deepEqual(
    [await patch({ values: false, url: `${url}/2` }), await patch({ values: true })],
    [200, 403],
  )
  assert.equal(body(await api(`GET /webhooks/${id}`, undefined, as)).values, false)
})
