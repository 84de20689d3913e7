import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { asRoot, basic, fieldOf, startBasic } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import { databases } from '../engines.ts'
import { freshFolder } from '../fresh-folder.ts'
import { csv, importsOf, patch } from './imports.ts'

interface Password {
  readonly line: number
  readonly recordId: string
  readonly signId: string
  readonly firstName: string
  readonly password: string
}

const headings = ['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress', 'password']
const row = (name: string, password = '') => [
  ...[name, 'Lee', '2', '1990-04-01', `${name}@example.com`, password],
]

const start = async (t: TestContext, DATABASE_URL: string) => {
  const api = await startBasic(t, { DATABASE_URL })
  const asked = (line: string, body?: unknown, headers = {}) => api(line, body, { ...asRoot, ...headers })
  const imports = importsOf(asked)
  const passwords = async (importId: string) => {
    const answer = await asked(`GET /imports/${importId}/passwords?page=0`)
    assert.deepEqual([answer.status, answer.headers['cache-control']], [200, 'no-store'])
    return (answer.body as { readonly content: readonly Password[] }).content
  }
  /** An import that waits to be applied, with generated passwords. */
  const ready = async (rows: readonly (readonly string[])[]) => {
    const importId = await imports.upload('members', csv(headings, rows))
    await imports.in(importId, 'ready')
    await imports.change(importId, { options: { passwords: 'generate' } })
    const { open } = await imports.in(importId, 'ready')
    assert.deepEqual(open, [])
    return importId
  }
  const done = async (rows: readonly (readonly string[])[]) => {
    const importId = await ready(rows)
    await imports.act(importId, 'apply')
    await imports.in(importId, 'done')
    return importId
  }
  return { api, asked, imports, passwords, ready, done }
}

for (const { name, url, skip } of databases) {
  test(`${name}: members without a password can sign in with a generated one, which the import lists`, {
    skip,
  }, async (t) => {
    const { api, imports, passwords, ready } = await start(t, await url(t))
    const importId = await ready([row('ann'), row('bob', 'swordfish'), row('cyd'), row('cyd')])
    assert.deepEqual(await passwords(importId), [])
    await imports.act(importId, 'apply')
    await imports.in(importId, 'done')
    const given = await passwords(importId)
    assert.deepEqual(
      given.map(({ line, signId, firstName }) => [line, signId, firstName]),
      [
        [2, 'ann@example.com', 'ann'],
        [4, 'cyd@example.com', 'cyd'],
      ],
    )
    for (const { recordId, signId, password } of given) {
      assert.match(password, /^[a-hj-km-np-z2-9]{4}(?:-[a-hj-km-np-z2-9]{4}){3}$/)
      const me = await api('GET /members/me', undefined, basic(signId, password))
      assert.equal(fieldOf(me, 'memberId'), recordId)
    }
    assert.equal((await api('GET /me', undefined, basic('bob@example.com', 'swordfish'))).status, 200)
    assert.notEqual(given[0]?.password, given[1]?.password)
  })

  test(`${name}: a password that is no longer valid is not listed: changed, erased, restored or undone`, {
    skip,
  }, async (t) => {
    const { asked, imports, passwords, done } = await start(t, await url(t))
    const importId = await done([row('ann'), row('bob'), row('cyd'), row('dan')])
    const listed = async () => (await passwords(importId)).map(({ firstName }) => firstName)
    const [ann, bob, cyd] = (await passwords(importId)).map(({ recordId }) => `/members/${recordId}`)
    await asked(`PUT ${ann}/credential`, { password: 'open sesame' })
    assert.deepEqual(await listed(), ['bob', 'cyd', 'dan'])
    await asked(`DELETE ${bob}?erase=true`)
    assert.deepEqual(await listed(), ['cyd', 'dan'])
    await asked(`DELETE ${cyd}`)
    assert.equal((await asked(`POST ${cyd}/restore`)).status, 201)
    assert.deepEqual(await listed(), ['dan'])
    await imports.act(importId, 'undo')
    await imports.in(importId, 'undone')
    assert.deepEqual(await listed(), [])
  })

  // The rest says nothing of the engine.
  if (name !== 'SQLite') continue

  test(`${name}: a stopped import lists the passwords of its applied rows; a finished import lists all passwords`, {
    skip,
  }, async (t) => {
    const { asked, imports, passwords, ready } = await start(t, await url(t))
    const importId = await ready(Array.from({ length: 60 }, (_, at) => row(`ann${at}`)))
    await imports.act(importId, 'apply')
    const early = await asked(`GET /imports/${importId}/passwords`)
    assert.deepEqual([early.status, fieldOf(early, 'code')], [409, 'e.xx.im.8001'])
    await imports.until(importId, ({ counts }) => (counts.applied ?? 0) > 0)
    await asked(`POST /imports/${importId}/stop`)
    const { counts, state } = await imports.until(importId, ({ state }) => state !== 'applying')
    const all = await asked(`GET /imports/${importId}/passwords`)
    assert.equal((all.body as readonly Password[]).length, counts.applied)
    if (state === 'stopped') await imports.act(importId, 'apply')
    await imports.in(importId, 'done')
    assert.equal(((await asked(`GET /imports/${importId}/passwords`)).body as object[]).length, 60)
    assert.equal((await passwords(importId)).length, 20)
    await asked(`DELETE /imports/${importId}`)
    assert.equal((await asked(`GET /imports/${importId}/passwords`)).status, 404)
  })
}

test('a generated password is in no table in clear, and only those who may import members see it', async (t) => {
  const [sqlite] = databases
  const DATABASE_URL = (await sqlite?.url(t)) ?? ''
  const { api, asked, passwords, done } = await start(t, DATABASE_URL)
  const importId = await done([row('ann')])
  const [ann] = await passwords(importId)
  const { signId = '', password = '' } = ann ?? {}
  using database = new DatabaseSync(DATABASE_URL.replace('sqlite:', ''), { readOnly: true })
  const stored = JSON.stringify(database.prepare('SELECT * FROM import_row').all())
  assert.deepEqual([stored.includes('ann@example.com'), stored.includes(password)], [true, false])
  assert.equal((await asked(`GET /imports/${importId}/rows?outcome=applied`)).text.includes(password), false)
  const place = `GET /imports/${importId}/passwords`
  assert.equal((await api(place, undefined, basic(signId, password))).status, 403)
  const scopes = ['todos:create', 'todos:update']
  const secret = fieldOf(await asked('POST /keys', { name: 'importer', scopes }), 'secret')
  assert.equal((await api(place, undefined, bearer(secret))).status, 404)
})

test('a key can choose columns and read generated passwords only of its own imports, even after applying another caller’s import', async (t) => {
  const { api, asked, imports, passwords, ready } = await start(t, `sqlite:${freshFolder()}/a.db`)
  const keyed = async () => {
    const scopes = ['members:create', 'members:update']
    const secret = fieldOf(await asked('POST /keys', { name: 'importer', scopes }), 'secret')
    return (line: string, body?: unknown, headers = {}) => api(line, body, { ...bearer(secret), ...headers })
  }
  const [own, other] = [await keyed(), await keyed()]
  const refused = async (importId: string) => {
    for (const query of ['', '?page=0', '?size=20&cursor=']) {
      const answer = await other(`GET /imports/${importId}/passwords${query}`)
      assert.deepEqual([answer.status, fieldOf(answer, 'code')], [403, 'e.xx.fw.4003'], query)
    }
  }
  const sent = await importsOf(own).upload('members', csv(headings, [row('ann')]))
  await imports.in(sent, 'ready')
  await importsOf(own).change(sent, { options: { passwords: 'generate' } })
  await imports.in(sent, 'ready')
  const ofRoot = await ready([row('bob')])
  for (const importId of [sent, ofRoot]) {
    const patch = { 'content-type': 'application/merge-patch+json' }
    const otherwise = await other(`PATCH /imports/${importId}`, { options: { header: 0 } }, patch)
    assert.deepEqual([otherwise.status, fieldOf(otherwise, 'code')], [403, 'e.xx.fw.4003'])
    await importsOf(other).act(importId, 'apply')
    await imports.in(importId, 'done')
    await refused(importId)
    assert.equal((await passwords(importId)).length, 1)
  }
  assert.equal(((await own(`GET /imports/${sent}/passwords`)).body as object[]).length, 1)
  await importsOf(own).act(sent, 'undo')
  await imports.in(sent, 'undone')
  assert.equal((await own(`GET /imports/${sent}/passwords`)).status, 200)
})

test('an import into a resource without passwords refuses the option `passwords`, and accepts the others', async (t) => {
  const { asked, imports } = await start(t, `sqlite:${freshFolder()}/a.db`)
  const importId = await imports.upload('todos', csv(['todoTitle'], [['Buy milk']]))
  await imports.in(importId, 'ready')
  for (const passwords of ['none', 'generate']) {
    const refused = await asked(`PATCH /imports/${importId}`, { options: { passwords } }, patch)
    const { code, details } = refused.body as { code: string; details: readonly object[] }
    const message = '"options.passwords" must be one of refuse.'
    assert.deepEqual([refused.status, code], [400, 'e.xx.fw.7001'])
    assert.deepEqual(details, [{ code: 'Pattern', message, target: 'options.passwords' }])
  }
  await imports.change(importId, { options: { passwords: 'refuse', existing: 'skip' } })
  await imports.in(importId, 'ready')
})
