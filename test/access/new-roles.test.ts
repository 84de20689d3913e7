import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../harness.ts'
import { john } from '../people.ts'
import { asRoot, basic, fieldOf, startBasic } from './callers.ts'
import { bearer } from './issuer.ts'

const add = (api: Api, signId: string, role: unknown, as: Record<string, string>) =>
  api('POST /members', { ...john, credential: { signId, password: 'swordfish' }, role }, as)

test('only a caller who may give roles can create a member with a role', async (t) => {
  const api = await startBasic(t)
  const made = await add(api, 'ann', 'administrator', asRoot)
  assert.equal(made.status, 201, made.text)
  assert.ok(!('role' in (made.body as object)), 'it is no field of the member')
  const role = await api(`GET /members/${fieldOf(made, 'memberId')}/role`, undefined, asRoot)
  assert.equal(fieldOf(role, 'role'), 'administrator')
  const ann = basic('ann', 'swordfish')
  assert.equal((await add(api, 'joe', 'suspended', ann)).status, 201)
  assert.equal((await api('GET /todos', undefined, basic('joe', 'swordfish'))).status, 401)
  assert.equal((await add(api, 'jim', null, ann)).status, 201)

  const key = await api('POST /keys', { name: 'a', scopes: ['members:create'] }, asRoot)
  const byKey = bearer(fieldOf(key, 'secret'))
  const refused = await add(api, 'kim', 'member', byKey)
  assert.deepEqual([refused.status, fieldOf(refused, 'code')], [403, 'e.xx.fw.4003'])
  assert.match(refused.text, /"target":"role"/)
  assert.equal((await add(api, 'kim', null, byKey)).status, 201)
  assert.equal((await add(api, 'lea', 'king', asRoot)).status, 400)
  const { content } = (await api('GET /changes?types=member.created', undefined, asRoot)).body as {
    content: readonly { data: { changed: readonly string[] } }[]
  }
  assert.deepEqual(
    content.map(({ data }) => data.changed.includes('role')),
    [true, true, false, false],
  )
})
