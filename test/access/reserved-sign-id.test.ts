import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Dependencies, openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { rollcall } from '../cli/warm.ts'
import { databases } from '../engines.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Answer, quiet, request } from '../harness.ts'
import { john } from '../people.ts'
import { asRoot, basic, fieldOf, root } from './callers.ts'

const freshFile = () => `sqlite:${join(freshFolder(), 'test.db')}`

type Call = (line: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>

/** Runs the service for the time of `work`, on a database that outlives it. */
const during = async (
  settings: Readonly<Record<string, string>>,
  work: (call: Call) => Promise<void>,
  world: Dependencies = {},
) => {
  const config = readConfig({ PORT: '0', MANAGEMENT_PORT: 'off', ALLOWED_HOSTS: '*', ...settings })
  const app = await openApp(config, { ...quiet, ...world })
  try {
    await work((line, body, headers = {}) => request(`${app.url}/api/v1`, line, { body, headers }))
  } finally {
    await app.close()
  }
}

const byRoot = { ACCESS: 'basic', ADMIN_SIGN_ID: root.signId, ADMIN_PASSWORD: root.password }

const memberCalled = (signId: string | null, password = 'swordfish') => ({
  ...john,
  credential: { signId, password },
})

const assertTaken = ({ status, text, body }: Answer, signId: string) => {
  assert.equal(status, 409, text)
  const message = `Cannot use specified sign id. sign id : ${signId}`
  assert.partialDeepStrictEqual(body, { code: 'e.xx.yy.8001', message })
}

test("no member can take the administrator's sign id, in any spelling or by a change of credential", async () => {
  const settings = { ...byRoot, ADMIN_SIGN_ID: 'John.Smith@Exämple.com', DATABASE_URL: freshFile() }
  const asAdmin = basic('john.smith@exämple.com', root.password)
  await during(settings, async (call) => {
    const created = await call('POST /members', memberCalled('mary'), asAdmin)
    const path = `PUT /members/${fieldOf(created, 'memberId')}/credential`
    const asMary = basic('mary', 'swordfish')
    for (const signId of [
      'John.Smith@Exämple.com',
      'JOHN.SMITH@EXÄMPLE.COM',
      'ｊohn.smith@exa\u0308mple.com',
    ]) {
      assertTaken(await call('POST /members', memberCalled(signId), asAdmin), signId)
      const change = { signId, password: 'sardine tin' }
      assertTaken(await call(path, change, asAdmin), signId)
      assertTaken(await call(path, { ...change, currentPassword: 'swordfish' }, asMary), signId)
    }
    assert.equal((await call('GET /todos', undefined, asMary)).status, 200, 'nothing was changed')
  })
})

for (const { name, skip, url } of databases)
  test(`${name}: the administrator made at the first start keeps its sign id, also under open access`, {
    skip,
  }, async (t) => {
    const DATABASE_URL = await url(t)
    let password = ''
    const onAdministratorCreated = (created: { readonly password: string }) => {
      password = created.password
    }
    const addAdmin = async (call: Call) =>
      assertTaken(await call('POST /members', memberCalled('Admin'), basic('admin', password)), 'Admin')
    await during({ ACCESS: 'basic', DATABASE_URL }, addAdmin, { onAdministratorCreated })
    await during({ DATABASE_URL }, addAdmin)
    await during({ ...byRoot, DATABASE_URL }, async (call) => {
      const created = await call('POST /members', memberCalled('Admin'), asRoot)
      assert.equal(created.status, 201, 'the administrator of the settings takes its place')
    })
  })

test("a member who already has the administrator's sign id stays, but does not become it", async () => {
  const DATABASE_URL = freshFile()
  let memberId = ''
  await during({ DATABASE_URL }, async (call) => {
    memberId = fieldOf(await call('POST /members', memberCalled('Root')), 'memberId')
  })
  await during({ ...byRoot, DATABASE_URL }, async (call) => {
    const as = (signId: string, password: string) => call('GET /todos', undefined, basic(signId, password))
    assert.equal((await as('Root', 'swordfish')).status, 401)
    assert.equal((await as('Root', root.password)).status, 200, 'the administrator is who it was')
    const path = `PUT /members/${memberId}/credential`
    for (const signId of [undefined, 'Root', 'ＲＯＯＴ']) {
      const kept = await call(path, { signId, password: 'sardine tin' }, asRoot)
      assert.equal(kept.status, 200, `the password is changed, the sign id stays: ${signId}`)
    }
    assert.equal((await call(path, { signId: 'mary', password: 'sardine tin' }, asRoot)).status, 200)
    assertTaken(await call(path, { signId: 'Root', password: 'sardine tin' }, asRoot), 'Root')
    assert.equal((await as('mary', 'sardine tin')).status, 200)
  })
})

test("nobody else can take an e-mail address that is the administrator's sign id", async () => {
  const settings = { ...byRoot, ADMIN_SIGN_ID: john.emailAddress, DATABASE_URL: freshFile() }
  await during(settings, async (call) => {
    const answer = await call('POST /members', memberCalled(null), basic(john.emailAddress, root.password))
    assertTaken(answer, john.emailAddress.toLowerCase())
  })
})

test("commands on a database refuse the administrator's sign id as the service does", async () => {
  const folder = freshFolder()
  const people = ['Root', 'mary'].map((signId) => JSON.stringify(memberCalled(signId)))
  await writeFile(join(folder, 'people.ndjson'), people.join('\n'))
  const run = async (args: readonly string[], environment: Readonly<Record<string, string>>) =>
    rollcall(args, { cwd: folder, input: 'swordfish\n', environment })
  const profile = '--first-name J --last-name S --gender-code 1 --date-of-birth 1983-01-17'.split(' ')
  const add = ['member', 'add', ...profile, '--email-address', 'j@example.com']
  const given = { ...byRoot, DATABASE_URL: freshFile() }
  const refused = /^rollcall: Cannot use specified sign id\. sign id : ROOT\n$/
  assert.equal((await run([...add, '--sign-id', 'jane'], given)).code, 0)
  assert.match((await run([...add, '--sign-id', 'ROOT'], given)).err, refused)
  const change = ['member', 'passwd', '--sign-id', 'jane', '--new-sign-id', 'ROOT']
  assert.match((await run(change, given)).err, refused)
  for (const options of [['--dry-run'], [], ['--exact']]) {
    const database = options.includes('--exact') ? { ...given, DATABASE_URL: freshFile() } : given
    const imported = await run(['import', 'members', 'people.ndjson', '--json', ...options], database)
    assert.partialDeepStrictEqual(JSON.parse(imported.out), { written: 1, refused: 1 })
  }
  const beforeTheFirstStart = { ACCESS: 'basic', DATABASE_URL: freshFile() }
  const early = await run([...add, '--sign-id', 'admin'], beforeTheFirstStart)
  assert.match(early.err, /Cannot use specified sign id\. sign id : admin/)
})
