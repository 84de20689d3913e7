import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../harness.ts'
import { asRoot, enrol, fieldOf, startBasic, stoppedClock } from './callers.ts'
import { bearer, startIssuer, startOauth } from './issuer.ts'

const mayOf = (body: unknown) => (body as { readonly may: readonly string[] }).may

test('GET /me says who the caller is, what it may do, and until when', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock })
  const me = async (headers: Readonly<Record<string, string>>) => {
    const { status, body, text } = await api('GET /me', undefined, headers)
    assert.equal(status, 200, text)
    return body as Record<string, unknown>
  }
  const root = await me(asRoot)
  const none = { id: null, until: null }
  assert.partialDeepStrictEqual(root, { ...none, kind: 'administrator', role: 'administrator' })
  assert.ok(mayOf(root).includes('members:erase'))

  const mary = await enrol(api, 'mary')
  const person = { id: mary.memberId, name: `member:${mary.memberId}` }
  const asMary = await me(mary.headers)
  assert.partialDeepStrictEqual(asMary, { ...person, kind: 'member', role: 'member', until: null })
  assert.ok(mayOf(asMary).includes('members:update') && !mayOf(asMary).includes('members:create'))
  const token = await api('POST /tokens', undefined, mary.headers)
  assert.partialDeepStrictEqual(await me(bearer(fieldOf(token, 'token'))), {
    ...person,
    until: fieldOf(token, 'expiresAt'),
  })

  const expiresAt = new Date(clock.now() + 1000).toISOString()
  const made = await api('POST /keys', { name: 'a', scopes: ['todos:read'], expiresAt }, asRoot)
  const key = await me(bearer(fieldOf(made, 'secret')))
  assert.deepEqual(
    [key.kind, key.id, key.role, key.until, key.may],
    ['key', fieldOf(made, 'keyId'), null, expiresAt, ['me:read', 'todos:read']],
  )
  assert.equal((await api('GET /me')).status, 401)
  const xml = await api('GET /me.xml', undefined, mary.headers)
  assert.match(xml.text, /<may><operation>.*<\/operation><\/may>/)
})

test('GET /me says what the token of a client permits', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url)
  const { body } = await api('GET /me', undefined, bearer(await issuer.token({ scope: 'todos:read other' })))
  assert.partialDeepStrictEqual(body, { kind: 'client', id: null, role: null })
  assert.deepEqual(mayOf(body), ['me:read', 'me:update', 'todos:read'])
})

test('under open access every caller is `anyone`', async (t) => {
  const { body } = await (await startApp(t))('GET /me')
  assert.partialDeepStrictEqual(body, { kind: 'anyone', name: 'anyone', id: null, role: null, until: null })
})
