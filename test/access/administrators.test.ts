import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../engines.ts'
import { type Api, startApp } from '../harness.ts'
import { john } from '../people.ts'
import { mergePatch } from '../scenarios/table.ts'
import { asRoot, enrol, fieldOf, startBasic } from './callers.ts'
import { bearer, startIssuer, startOauth } from './issuer.ts'

type Headers = Readonly<Record<string, string>>

const scopes = ['members:create', 'members:update', 'members:read', 'members:delete']

/** Every request that could give a caller the credential of a member. */
const attempts = (memberId: string): readonly [string, unknown, Headers?][] => [
  [`PUT /members/${memberId}/credential`, { signId: 'mine', password: 'taken over' }],
  [`PATCH /members/${memberId}/credential`, { password: 'taken over' }, mergePatch],
  [`PATCH /members/${memberId}/credential`, { signId: 'mine' }, mergePatch],
  [`POST /members/${memberId}/invitation`, undefined],
]

const refusesAll = async (api: Api, memberId: string, as: Headers) => {
  for (const [line, body, headers] of attempts(memberId)) {
    const answer = await api(line, body, { ...headers, ...as })
    assert.deepEqual([answer.status, fieldOf(answer, 'code')], [403, 'e.xx.fw.4003'], line)
  }
  const many = await api('POST /members/invitations', { ids: [memberId] }, as)
  assert.deepEqual(many.body, { invited: [], refused: [{ memberId, code: 'e.xx.fw.4003' }] })
}

const keyOf = async (api: Api) =>
  bearer(fieldOf(await api('POST /keys', { name: 'a key', scopes }, asRoot), 'secret'))

for (const { name, url, skip } of databases)
  test(`${name}: a key neither changes the credential of an administrator nor invites one`, {
    skip,
  }, async (t) => {
    const api = await startBasic(t, { DATABASE_URL: await url(t) })
    const [mary, jane] = [await enrol(api, 'mary'), await enrol(api, 'jane')]
    const key = await keyOf(api)
    const give = (role: string) => api(`PUT /members/${mary.memberId}/role`, { role }, asRoot)
    await give('administrator')
    await refusesAll(api, mary.memberId, key)
    const profile = { ...john, credential: undefined, emailAddress: 'mary@example.com' }
    const [line, patch] = [`/members/${mary.memberId}`, { ...key, ...mergePatch }]
    assert.equal((await api(`PUT ${line}`, profile, key)).status, 200)
    assert.equal((await api(`PATCH ${line}`, { credential: { signId: 'mine' } }, patch)).status, 400)
    assert.equal((await api(`PATCH ${line}`, { role: 'member' }, patch)).status, 400)
    assert.equal((await api(`PUT ${line}/role`, { role: 'member' }, key)).status, 403)
    assert.equal((await api('GET /keys', undefined, mary.headers)).status, 200, 'her password stays')

    const mixed = await api('POST /members/invitations', { ids: [mary.memberId, jane.memberId] }, key)
    assert.match(mixed.text, new RegExp(`"invited":\\[{"memberId":"${jane.memberId}"`))
    await give('member')
    for (const [request, body, headers] of attempts(mary.memberId))
      assert.ok((await api(request, body, { ...headers, ...key })).status < 300, request)
  })

test('a token with scopes neither changes the credential of an administrator nor invites one', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url)
  const as = bearer(await issuer.token({ scope: `${scopes.join(' ')} members:role members:restore` }))
  const { memberId } = (await api('POST /members', john, as)).body as { memberId: string }
  assert.equal((await api(`PUT /members/${memberId}/role`, { role: 'administrator' }, as)).status, 200)
  await refusesAll(api, memberId, as)
  assert.equal((await api(`DELETE /members/${memberId}`, undefined, as)).status, 204)
  assert.equal((await api(`POST /members/${memberId}/restore`, undefined, as)).status, 201)
  assert.equal((await api(`GET /members/${memberId}/role`, undefined, as)).text, '{"role":"member"}')
})

test('administrators, and all callers under open access, can change the credentials of administrators and invite them', async (t) => {
  const api = await startBasic(t)
  const [mary, jane] = [await enrol(api, 'mary'), await enrol(api, 'jane')]
  for (const { memberId } of [mary, jane])
    await api(`PUT /members/${memberId}/role`, { role: 'administrator' }, asRoot)
  const open = await startApp(t)
  const memberId = fieldOf(await open('POST /members', { ...john, role: 'administrator' }), 'memberId')
  for (const [service, id, as] of [
    [api, mary.memberId, asRoot],
    [api, mary.memberId, jane.headers],
    [open, memberId, {}],
  ] as const)
    for (const [line, body, headers] of attempts(id))
      assert.ok((await service(line, body, { ...headers, ...as })).status < 300, line)
})
