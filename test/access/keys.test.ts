import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rollcall } from '../cli/warm.ts'
import { freshFolder } from '../fresh-folder.ts'
import type { Api } from '../harness.ts'
import { noPostgres, serviceDatabase } from '../postgres.ts'
import { asRoot, enrol, fieldOf, startBasic } from './callers.ts'
import { bearer, startIssuer, startOauth } from './issuer.ts'

const noServer = await noPostgres()

const databases: readonly [string, string | false, (t: TestContext) => Promise<string>][] = [
  ['SQLite', false, async () => `sqlite:${freshFolder()}/a.db`],
  ['PostgreSQL', noServer, serviceDatabase],
]

const keyWith = (api: Api, as: Readonly<Record<string, string>>, ...scopes: readonly string[]) =>
  api('POST /keys', { name: 'a key', scopes }, as)

for (const [engine, skip, database] of databases)
  test(`${engine}: a key names its maker, and shows that the maker was suspended, demoted or removed`, {
    skip,
  }, async (t) => {
    const DATABASE_URL = await database(t)
    const api = await startBasic(t, { DATABASE_URL })
    const mary = await enrol(api, 'mary')
    const give = async (role: string) =>
      assert.equal((await api(`PUT /members/${mary.memberId}/role`, { role }, asRoot)).status, 200)
    await give('administrator')
    const made = await keyWith(api, mary.headers, 'todos:read')
    const byRoot = await keyWith(api, asRoot, 'todos:read')
    assert.deepEqual(
      [fieldOf(made, 'createdBy'), fieldOf(byRoot, 'createdBy')],
      [mary.memberId, 'administrator'],
    )
    const place = `GET /keys/${fieldOf(made, 'keyId')}`
    let tag = ''
    const expectOrphaned = async (orphaned: string | null) => {
      const one = await api(place, undefined, { ...asRoot, 'if-none-match': tag })
      assert.equal(one.status, 200, 'another tag')
      tag = String(one.headers.etag)
      assert.partialDeepStrictEqual(one.body, { createdBy: mary.memberId, orphaned })
      for (const query of ['', '?page=0', '?size=20&cursor=', '?sort=name'])
        assert.deepEqual(orphanedIn((await api(`GET /keys${query}`, undefined, asRoot)).body), [
          orphaned,
          null,
        ])
    }
    await expectOrphaned(null)
    await give('suspended')
    await expectOrphaned('suspended')
    await give('member')
    await expectOrphaned('demoted')
    assert.equal((await api(`DELETE /members/${mary.memberId}`, undefined, asRoot)).status, 204)
    await expectOrphaned('removed')
    await api.close()
    const { out } = await rollcall(['doctor', '--json'], {
      environment: { DATABASE_URL, PORT: '0', MANAGEMENT_PORT: 'off' },
    })
    const found = JSON.parse(out).filter(({ check }: { check: string }) => check === 'keys')
    assert.match(
      JSON.stringify(found),
      new RegExp(`^\\[{"check":"keys","verdict":"look",.*${mary.memberId} \\(removed\\)`),
    )
    assert.ok(!out.includes(fieldOf(byRoot, 'keyId')))
  })

const orphanedIn = (body: unknown) => {
  const { content = body } = body as { readonly content?: unknown }
  return (content as readonly { readonly orphaned: unknown }[]).map(({ orphaned }) => orphaned)
}

test('nobody can make a key with more rights than their own', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url)
  const holding = async (scope: string) => bearer(await issuer.token({ scope }))
  const client = await holding('keys:create keys:read members:read READ')
  for (const scopes of [['members:erase'], ['members:read', 'todos:delete'], ['changes:read']]) {
    const refused = await keyWith(api, client, ...scopes)
    assert.equal(refused.status, 403, refused.text)
    assert.match(refused.text, new RegExp(`"code":"e.xx.fw.4003".*${scopes.at(-1)}\\."`))
  }
  assert.deepEqual((await api('GET /keys', undefined, client)).body, [])
  assert.equal((await keyWith(api, client, 'members:read', 'todos:read')).status, 201)
  assert.equal((await keyWith(api, await holding('keys:create UPDATE'), 'todos:update')).status, 201)
  assert.equal((await keyWith(api, await holding('keys:create todos:create'), 'members:create')).status, 403)
})

test('a new key with faulty scopes is refused, with the details in the order of its fields', async (t) => {
  const api = await startBasic(t)
  const refused = await keyWith(api, asRoot, 'todos:read', 'members:read', 'todos:read')
  assert.equal(refused.status, 400)
  assert.match(refused.text, /"code":"Pattern".*"\\"scopes\\" must not contain the same value twice/)
  const faulty = await api('POST /keys', { scopes: ['members:read', 'x', 'y'], name: '' }, asRoot)
  const { details } = faulty.body as { details: { target: string }[] }
  assert.deepEqual(
    details.map(({ target }) => target),
    ['name', 'scopes.1', 'scopes.2'],
  )
})

test('the document says which times expiresAt accepts, and no others are accepted', async (t) => {
  const api = await startBasic(t)
  const { body } = await api('GET /openapi.json', undefined, asRoot)
  const { components } = body as {
    components: { schemas: { NewKey: { properties: { expiresAt: Schema } } } }
  }
  const { format, pattern, maxLength } = components.schemas.NewKey.properties.expiresAt
  assert.equal(format, undefined)
  for (const [expiresAt, status] of [
    ['2099-01-01', 201],
    ['2099-01-01T00:00:00.000Z', 201],
    ['2099-01-01T00:00:00.000+0900', 201],
    ['2099-01-01T00:00:00.000+09:00', 201],
    ['2099-01-01T00:00:00Z', 400],
    ['2099-01-01 00:00:00.000Z', 400],
    ['2099-01-01t00:00:00.000z', 400],
    ['soon', 400],
  ] as const) {
    const made = await api('POST /keys', { name: 'a', scopes: ['todos:read'], expiresAt }, asRoot)
    assert.equal(made.status, status, expiresAt)
    assert.equal(
      new RegExp(pattern).test(expiresAt) && expiresAt.length <= maxLength,
      status === 201,
      expiresAt,
    )
  }
})

interface Schema {
  readonly format?: string
  readonly pattern: string
  readonly maxLength: number
}

test('the document names the scheme of tokens and keys for operations that accept them', async (t) => {
  const issuer = await startIssuer(t)
  const requirements: Record<string, unknown> = {}
  for (const api of [await startBasic(t), await startOauth(t, issuer.url)]) {
    const document = (await api('GET /openapi.json')).body as Document
    const [access = ''] = Object.keys(document.components.securitySchemes).filter((name) => name !== 'bearer')
    assert.partialDeepStrictEqual(document.components.securitySchemes.bearer, {
      type: 'http',
      scheme: 'bearer',
    })
    requirements[access] = document.paths['/todos']?.get?.security
  }
  assert.deepEqual(requirements, {
    basic: [{ basic: [] }, { bearer: [] }],
    oauth: [{ oauth: ['todos:read'] }, { oauth: ['READ'] }, { bearer: [] }],
  })
})

interface Document {
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> }
  readonly paths: Readonly<Record<string, { readonly get?: { readonly security: unknown } }>>
}
