import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { databases } from '../engines.ts'
import type { Api } from '../harness.ts'
import { asRoot, enrol, fieldOf, startBasic, stoppedClock } from './callers.ts'
import { bearer, startIssuer, startOauth } from './issuer.ts'

const hourMs = 60 * 60 * 1000
const merge = { 'content-type': 'application/merge-patch+json' }

const made = async (api: Api, as: Readonly<Record<string, string>>, body: object) => {
  const answer = await api('POST /keys', body, as)
  assert.equal(answer.status, 201, answer.text)
  return { keyId: fieldOf(answer, 'keyId'), secret: fieldOf(answer, 'secret'), answer }
}

const statusWith = async (api: Api, secret: string, line = 'GET /todos') =>
  (await api(line, undefined, bearer(secret))).status

for (const { name, url, skip } of databases) {
  const started = async (t: TestContext, clock = stoppedClock()) =>
    startBasic(t, { DATABASE_URL: await url(t) }, { clock })

  test(`${name}: a new name, scope or expiry of a key takes effect at once`, { skip }, async (t) => {
    const clock = stoppedClock()
    const api = await started(t, clock)
    const { keyId, secret } = await made(api, asRoot, { name: 'a', scopes: ['todos:read', 'members:read'] })
    const place = `/keys/${keyId}`
    const patch = (body: object) => api(`PATCH ${place}`, body, { ...merge, ...asRoot })
    assert.equal(await statusWith(api, secret, 'GET /members'), 200)
    const renamed = await patch({ name: 'b' })
    assert.partialDeepStrictEqual(renamed.body, { name: 'b', scopes: ['todos:read', 'members:read'] })
    assert.equal((await patch({ scopes: ['todos:read'] })).status, 200)
    assert.equal(await statusWith(api, secret, 'GET /members'), 403)
    const end = new Date(clock.now() + hourMs).toISOString()
    assert.equal(fieldOf(await patch({ expiresAt: end }), 'expiresAt'), end)
    assert.match((await patch({ expiresAt: '2020-01-01' })).text, /"code":"Future"/)
    clock.pass(hourMs)
    assert.equal(await statusWith(api, secret), 401)
    assert.equal((await patch({ name: 'ended' })).status, 200, 'an end that has passed may stay')
    assert.equal((await patch({ expiresAt: null })).status, 200)
    assert.equal(await statusWith(api, secret), 200)
    assert.equal((await api(`GET ${place}/history`, undefined, asRoot)).status, 404)
    const changes = await api('GET /changes?types=key.updated', undefined, asRoot)
    assert.deepEqual(
      (changes.body as { content: { data: { changed: string[] } }[] }).content.map((one) => one.data.changed),
      [['name'], ['scopes'], ['expiresAt'], ['name'], ['expiresAt']],
    )
  })

  test(`${name}: a new secret of a key is shown once, and the previous one stays valid for 24 hours`, {
    skip,
  }, async (t) => {
    const clock = stoppedClock()
    const api = await started(t, clock)
    const { keyId, secret: first, answer } = await made(api, asRoot, { name: 'a', scopes: ['todos:read'] })
    assert.equal(fieldOf(answer, 'hint'), first.slice(0, 8))
    const renew = async () => {
      const renewed = await api(`POST /keys/${keyId}/secret`, undefined, asRoot)
      assert.equal(renewed.status, 201, renewed.text)
      return fieldOf(renewed, 'secret')
    }
    const second = await renew()
    const shown = await api(`GET /keys/${keyId}`, undefined, asRoot)
    assert.equal(fieldOf(shown, 'hint'), second.slice(0, 8))
    assert.ok(!shown.text.includes(second) && !/hash/i.test(shown.text))
    clock.pass(23 * hourMs)
    const third = await renew()
    for (const secret of [first, second, third]) assert.equal(await statusWith(api, secret), 200)
    clock.pass(hourMs)
    assert.deepEqual(
      await Promise.all([first, second, third].map((one) => statusWith(api, one))),
      [401, 200, 200],
    )
    clock.pass(23 * hourMs)
    assert.deepEqual(await Promise.all([second, third].map((one) => statusWith(api, one))), [401, 200])

    for (let count = 1; count <= 10; count++) await renew()
    const refused = await api(`POST /keys/${keyId}/secret`, undefined, asRoot)
    assert.deepEqual([refused.status, fieldOf(refused, 'code')], [409, 'e.xx.ky.8001'])
    assert.equal((await api(`DELETE /keys/${keyId}`, undefined, asRoot)).status, 204)
    assert.equal(await statusWith(api, third), 401)
  })
}

test('nobody can change a key with more rights than their own, or renew its secret', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url)
  const holding = async (scope: string) => bearer(await issuer.token({ scope }))
  const able = await holding('keys:create todos:read todos:delete')
  const less = await holding('keys:update keys:read todos:read')
  const { keyId } = await made(api, able, { name: 'a', scopes: ['todos:read', 'todos:delete'] })
  const weak = await made(api, able, { name: 'a', scopes: ['todos:read'] })
  const as = { ...merge, ...less }
  for (const [line, body] of [
    [`PATCH /keys/${keyId}`, { name: 'b' }],
    [`PATCH /keys/${keyId}`, { expiresAt: null, name: 'b' }],
    [`POST /keys/${keyId}/secret`, undefined],
    [`PATCH /keys/${weak.keyId}`, { scopes: ['todos:read', 'todos:delete'] }],
  ] as const) {
    const refused = await api(line, body, body ? as : less)
    assert.equal(refused.status, 403, `${line} ${refused.text}`)
    assert.match(refused.text, /todos:delete/)
  }
  assert.equal((await api(`PATCH /keys/${weak.keyId}`, { name: 'b' }, as)).status, 200)
})

test('keys can be filtered by name, and sorted by shown fields only', async (t) => {
  const api = await startBasic(t)
  await enrol(api, 'mary')
  for (const name of ['Nightly', 'Hourly']) await made(api, asRoot, { name, scopes: ['todos:read'] })
  const names = async (query: string) => {
    const { body } = await api(`GET /keys?${query}`, undefined, asRoot)
    return (body as { content: { name: string }[] }).content.map(({ name }) => name)
  }
  assert.deepEqual(await names('name=NIGHT&page=0'), ['Nightly'])
  assert.deepEqual(await names('sort=name'), ['Hourly', 'Nightly'])
  for (const field of ['keyHash', 'creatorId', 'formerHashes', 'scopes'])
    assert.equal((await api(`GET /keys?sort=${field}`, undefined, asRoot)).status, 400, field)
})
