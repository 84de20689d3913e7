import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Api } from '../harness.ts'
import { mergePatch } from '../scenarios/table.ts'
import { asRoot, basic, enrol, fieldOf, root, startBasic, stoppedClock } from './callers.ts'
import { bearer } from './issuer.ts'

const tokenOf = async (api: Api, headers: Readonly<Record<string, string>>) =>
  bearer(fieldOf(await api('POST /tokens', undefined, headers), 'token'))

const keyOf = async (api: Api, ...scopes: readonly string[]) =>
  bearer(fieldOf(await api('POST /keys', { name: 'a key', scopes }, asRoot), 'secret'))

test('a token works for twelve hours, or until the password, the role or the member changes', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock })
  const mary = await enrol(api, 'mary')
  const place = `/members/${mary.memberId}`
  const statusOf = async (as: Readonly<Record<string, string>>) =>
    (await api('GET /members/me', undefined, as)).status
  const token = await tokenOf(api, mary.headers)
  assert.equal(await statusOf(token), 200)
  clock.pass(12 * 60 * 60 * 1000 - 1)
  assert.equal(await statusOf(token), 200)
  clock.pass(1)
  assert.equal(await statusOf(token), 401)

  const changes = [
    () => api(`PUT ${place}/role`, { role: 'administrator' }, asRoot),
    () => api(`PUT ${place}/role`, { role: 'member' }, asRoot),
    () => api('DELETE /tokens', undefined, mary.headers),
    () =>
      api(`PUT ${place}/credential`, { password: 'swordfish', currentPassword: 'swordfish' }, mary.headers),
    () => api(`DELETE ${place}`, undefined, asRoot),
  ]
  for (const change of changes) {
    const before = await tokenOf(api, mary.headers)
    assert.equal(await statusOf(before), 200)
    const { status, text } = await change()
    assert.ok(status < 300, text)
    assert.equal(await statusOf(before), 401, String(change))
  }
})

test('a token that is altered, malformed or of another service is refused like a wrong password, with a Bearer challenge in addition', async (t) => {
  const api = await startBasic(t)
  const other = await startBasic(t)
  const { authorization } = await tokenOf(api, asRoot)
  assert.equal((await api('GET /todos', undefined, { authorization })).status, 200)
  const { authorization: foreign } = await tokenOf(other, asRoot)
  const wrong = await api('GET /todos', undefined, basic('nobody', 'nothing'))
  const last = authorization.at(-1) === 'A' ? 'E' : 'A'
  for (const spelled of [
    `${authorization}A`,
    authorization.slice(0, -1) + last,
    foreign,
    'Bearer rt_x.y',
    'Bearer rk_x',
  ]) {
    const refused = await api('GET /todos', undefined, { authorization: spelled })
    assert.equal(refused.status, 401, spelled)
    assert.equal(refused.text, wrong.text)
    const challenges = `${wrong.headers['www-authenticate']}, Bearer realm="rollcall", error="invalid_token"`
    assert.equal(refused.headers['www-authenticate'], challenges)
  }
})

test('the eleventh wrong secret within a minute gets 429', async (t) => {
  const api = await startBasic(t, {}, { clock: stoppedClock() })
  const guess = bearer(`rk_${'a'.repeat(43)}`)
  const statuses = []
  for (let count = 0; count < 11; count++) statuses.push((await api('GET /todos', undefined, guess)).status)
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429])
})

test('requests with ended tokens do not lock out other tokens from the same network', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock })
  const [mary, jane] = [await enrol(api, 'mary'), await enrol(api, 'jane')]
  const dead: { readonly authorization: string }[] = []
  for (let count = 0; count < 10; count++) {
    clock.pass(1)
    dead.push(await tokenOf(api, mary.headers))
  }
  assert.equal((await api('DELETE /tokens', undefined, mary.headers)).status, 204)
  const living = [await tokenOf(api, mary.headers), await tokenOf(api, jane.headers)]
  const statusOf = async (as: Readonly<Record<string, string>>) =>
    (await api('GET /todos', undefined, as)).status
  for (const token of [...dead, ...dead]) assert.equal(await statusOf(token), 401)
  for (const token of living) assert.equal(await statusOf(token), 200)
})

for (const kind of ['own token', 'key', 'administrator by role', 'caller under open access'])
  test(`guesses of a member's password are throttled for the ${kind}, and its owner can still change it`, async (t) => {
    const clock = stoppedClock()
    const api = await startBasic(t, kind === 'caller under open access' ? { ACCESS: 'open' } : {}, { clock })
    const [mary, jane] = [await enrol(api, 'mary'), await enrol(api, 'jane')]
    await api(`PUT /members/${jane.memberId}/role`, { role: 'administrator' }, asRoot)
    const callers: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
      'own token': () => tokenOf(api, mary.headers),
      key: () => keyOf(api, 'members:update'),
      'administrator by role': () => tokenOf(api, jane.headers),
    }
    const as = (await callers[kind]?.()) ?? {}
    const change = async (currentPassword: string, headers = as, signId = 'mary') => {
      const sent = { signId, password: mary.password, currentPassword }
      return (await api(`PUT /members/${mary.memberId}/credential`, sent, headers)).status
    }
    const rename = async (currentPassword: string) => {
      const sent = [
        { signId: 'maria', currentPassword },
        { ...mergePatch, ...as },
      ] as const
      return (await api(`PATCH /members/${mary.memberId}/credential`, ...sent)).status
    }
    // A reserved sign id is refused only after the password has been verified.
    for (let guess = 0; guess < 5; guess++) {
      const both = [rename(`a ${guess}`), change(`b ${guess}`, as, root.signId)]
      assert.deepEqual(await Promise.all(both), [400, 400])
    }
    assert.equal(await change(mary.password), 429)
    assert.equal(await rename(mary.password), 429)
    assert.equal(await change(mary.password, as, root.signId), 429)
    if (kind !== 'caller under open access')
      assert.equal(await change(mary.password, mary.headers), 200, 'by her password')
    clock.pass(1_000)
    if (kind !== 'own token') assert.equal(await change(mary.password), 200)
  })

test('a key is shown once, shows the hour of its last use, and ends when it expires or is deleted', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock })
  const end = new Date(clock.now() + 3_600_000).toISOString()
  const made = await api('POST /keys', { name: 'report', scopes: ['todos:read'], expiresAt: end }, asRoot)
  assert.equal(made.status, 201)
  assert.equal(made.headers['cache-control'], 'no-store')
  const [as, id] = [bearer(fieldOf(made, 'secret')), fieldOf(made, 'keyId')]
  const shown = await api(`GET /keys/${id}`, undefined, asRoot)
  assert.equal(fieldOf(shown, 'lastUsedAt'), 'null')
  assert.doesNotMatch(shown.text, /rk_[\w-]{6}|secret/, 'more than the hint is shown')
  clock.pass(1)
  assert.equal((await api('GET /todos', undefined, as)).status, 200)
  assert.equal(
    fieldOf(await api(`GET /keys/${id}`, undefined, asRoot), 'lastUsedAt'),
    '2026-01-01T00:00:00.000Z',
  )
  clock.pass(3_600_000)
  assert.equal((await api('GET /todos', undefined, as)).status, 401)

  const past = { name: 'late', scopes: ['todos:read'], expiresAt: end }
  assert.match((await api('POST /keys', past, asRoot)).text, /"code":"Future".*"target":"expiresAt"/)
  const lasting = await api('POST /keys', { name: 'lasting', scopes: ['todos:read'] }, asRoot)
  const bearerOfLasting = bearer(fieldOf(lasting, 'secret'))
  assert.equal((await api('GET /todos', undefined, bearerOfLasting)).status, 200)
  assert.equal((await api(`DELETE /keys/${fieldOf(lasting, 'keyId')}`, undefined, asRoot)).status, 204)
  assert.equal((await api('GET /todos', undefined, bearerOfLasting)).status, 401)
})

test('a role appears in the change log but is not a field of the member', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const place = `/members/${mary.memberId}`
  assert.equal((await api(`GET ${place}/role`, undefined, asRoot)).text, '{"role":"member"}')
  assert.equal((await api(`PUT ${place}/role`, { role: 'suspended' }, asRoot)).status, 200)
  assert.doesNotMatch((await api(`GET ${place}`, undefined, asRoot)).text, /suspended/)
  const { text } = await api('GET /changes?types=member.roleChanged', undefined, asRoot)
  assert.match(text, /"type":"member.roleChanged".*"version":2,"changed":\["role"\],"by":"administrator"/)
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 401)
  const unknown = await api('PUT /members/none/role', { role: 'member' }, asRoot)
  assert.match(unknown.text, /e\.xx\.yy\.5001/)
})

test('a role has the Last-Modified of its member, and If-Unmodified-Since is a condition for changing it', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock })
  const mary = await enrol(api, 'mary')
  const place = `/members/${mary.memberId}`
  const { headers } = await api(`GET ${place}/role`, undefined, asRoot)
  assert.equal(
    headers['last-modified'],
    (await api(`GET ${place}`, undefined, asRoot)).headers['last-modified'],
  )
  const seen = { ...asRoot, 'If-Unmodified-Since': String(headers['last-modified']) }
  clock.pass(1_000)
  assert.equal((await api(`PUT ${place}/role`, { role: 'administrator' }, seen)).status, 200)
  assert.equal((await api(`PUT ${place}/role`, { role: 'suspended' }, seen)).status, 412)
})

test('members can be filtered by role, by callers who see more than names', async (t) => {
  const api = await startBasic(t)
  const [mary, jane] = [await enrol(api, 'mary'), await enrol(api, 'jane')]
  await api(`PUT /members/${jane.memberId}/role`, { role: 'suspended' }, asRoot)
  const found = async (query: string) => {
    const { body } = await api(`GET /members?page=0&role=${query}`, undefined, asRoot)
    const { content, totalElements } = body as {
      readonly content: readonly { readonly memberId: string }[]
      readonly totalElements: number
    }
    return [totalElements, ...content.map(({ memberId }) => memberId)]
  }
  assert.deepEqual(await found('suspended'), [1, jane.memberId])
  assert.deepEqual(
    await found('suspended&genderCode=1&bornFrom=1900-01-01&birthdayFrom=01-17&birthdayTo=01-18'),
    [1, jane.memberId],
  )
  assert.deepEqual(await found('administrator'), [0])
  assert.equal((await api('GET /members?page=0&role=suspended', undefined, mary.headers)).status, 400)
  for (const other of ['role=member', 'role=suspended&name=a', 'role=suspended&emailAddress=a'])
    assert.equal((await api(`GET /members?page=0&${other}`, undefined, asRoot)).status, 400, other)
})
