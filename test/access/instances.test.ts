import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OnAdministratorCreated } from '#ledger/administrator.ts'
import { openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { quiet, request } from '../harness.ts'
import { john } from '../people.ts'
import { noPostgres, serviceDatabase } from '../postgres.ts'
import { asRoot, basic, fieldOf, root, stoppedClock } from './callers.ts'
import { bearer } from './issuer.ts'

const skip = await noPostgres()
const clock = stoppedClock()

const startTwo = async (
  t: TestContext,
  settings: Record<string, string> = {},
  administratorCreated: OnAdministratorCreated = () => undefined,
) => {
  const database = await serviceDatabase(t)
  const start = async () => {
    const config = readConfig({
      PORT: '0',
      MANAGEMENT_PORT: 'off',
      ACCESS: 'basic',
      DATABASE_URL: database,
      ...settings,
    })
    const app = await openApp(config, { ...quiet, clock, onAdministratorCreated: administratorCreated })
    t.after(() => app.close())
    return app
  }
  return [await start(), await start()] as const
}

const administrator = { ADMIN_SIGN_ID: root.signId, ADMIN_PASSWORD: root.password }

const call = (app: { url: string }, line: string, headers: Record<string, string>, body?: unknown) =>
  request(`${app.url}/api/v1`, line, { headers, body })

/** Waits for a condition, because other instances learn of a change a moment later. */
const eventually = async (condition: () => Promise<boolean>) => {
  for (let tries = 0; tries < 1_500; tries++) {
    if (await condition()) return
    await sleep(20)
  }
  assert.fail('the condition did not hold within thirty seconds')
}

test('a login, token or key that ends on one instance ends on every instance', {
  skip,
}, async (t) => {
  const [one, other] = await startTwo(t, administrator)
  const statusOf = async (app: { url: string }, as: Record<string, string>) =>
    (await call(app, 'GET /todos', as)).status
  const isAdmitted = async (as: Record<string, string>) => {
    for (const app of [one, other]) assert.equal(await statusOf(app, as), 200)
  }
  const ends = async (as: Record<string, string>) => {
    for (const app of [one, other]) await eventually(async () => (await statusOf(app, as)) === 401)
  }
  const member = { ...john, credential: { signId: 'mary', password: 'swordfish' } }
  const place = `/members/${fieldOf(await call(one, 'POST /members', asRoot, member), 'memberId')}`
  const mary = basic('mary', 'swordfish')
  await isAdmitted(mary)
  await call(one, `PUT ${place}/credential`, asRoot, { password: 'new password' })
  assert.equal(await statusOf(one, mary), 401, 'at once on the instance that changed it')
  await ends(mary)
  const renewed = basic('mary', 'new password')
  const token = bearer(fieldOf(await call(one, 'POST /tokens', renewed), 'token'))
  const made = await call(one, 'POST /keys', asRoot, { name: 'a', scopes: ['todos:read'] })
  const key = bearer(fieldOf(made, 'secret'))
  for (const as of [renewed, token, key]) await isAdmitted(as)
  await call(one, `DELETE /keys/${fieldOf(made, 'keyId')}`, asRoot)
  await call(one, `PUT ${place}/role`, asRoot, { role: 'suspended' })
  for (const as of [renewed, token, key]) await ends(as)
  await call(one, `PUT ${place}/role`, asRoot, { role: 'member' })
  await isAdmitted(renewed)
  await call(other, `DELETE ${place}`, asRoot)
  assert.equal(await statusOf(other, renewed), 401)
  await ends(renewed)
})

test('a sign id with a NUL, which PostgreSQL cannot look up, belongs to nobody', { skip }, async (t) => {
  const [app] = await startTwo(t, administrator)
  for (const signId of ['ma\0ry', 'mary\0'])
    assert.equal((await call(app, 'GET /todos', basic(signId, 'swordfish'))).status, 401)
})

test('login failures are counted across instances', { skip }, async (t) => {
  const [one, other] = await startTwo(t, administrator)
  const wrong = (app: { url: string }, index: number) =>
    call(app, 'GET /todos', basic('mary', `wrong ${index}`))
  for (let index = 0; index < 10; index++) {
    assert.equal((await wrong(index % 2 ? one : other, index)).status, 401)
  }
  for (const app of [one, other]) assert.equal((await wrong(app, 10)).status, 429)
})

test('only one of two instances on one database creates the administrator', { skip }, async (t) => {
  const made: Parameters<OnAdministratorCreated>[0][] = []
  const [one, other] = await startTwo(t, {}, (administrator) => void made.push(administrator))
  assert.equal(made.length, 1)
  for (const app of [one, other]) {
    const { signId = '', password = '' } = made[0] ?? {}
    assert.equal((await call(app, 'GET /todos', basic(signId, password))).status, 200)
  }
})

test('a clock an hour off from the database clock causes one warning at the start', { skip }, async (t) => {
  const DATABASE_URL = await serviceDatabase(t)
  const config = readConfig({ PORT: '0', MANAGEMENT_PORT: 'off', DATABASE_URL })
  const warningsWith = async (aheadMs: number) => {
    const lines: string[] = []
    const clock = { now: () => Date.now() + aheadMs }
    const app = await openApp(config, { clock, logSink: { write: (line) => lines.push(line) } })
    await app.close()
    return lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')
  }
  assert.deepEqual(await warningsWith(0), [])
  for (const [aheadMs, words] of [
    [3_600_000, /^The clock is 3(?:59|60)\d\.\d s ahead of that of the database: rate limits/],
    [-3_600_000, /^The clock is 3(?:59|60)\d\.\d s behind that of the database: rate limits/],
  ] as const) {
    const [warning, ...others] = await warningsWith(aheadMs)
    assert.match(warning.msg, words)
    assert.deepEqual(others, [])
  }
})
