import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { exitCodes } from '#src/cli/exit.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { rollcall } from './warm.ts'

const skip = await noPostgres()

const migrate = (url: string, ...flags: readonly string[]) =>
  rollcall(['migrate', '--database-url', url, ...flags], {})

/** A database with two roles: its owner, and one that has no rights until the owner grants them. */
const twoRoles = async (t: TestContext) => {
  const url = await freshDatabase(t)
  const name = randomBytes(4).toString('hex')
  const [owner, service] = [`owner_${name}`, `service_${name}`]
  await administer(url, `CREATE ROLE ${owner} LOGIN PASSWORD 'x'; CREATE ROLE ${service} LOGIN PASSWORD 'x'`)
  await administer(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${owner}`)
  const as = (role: string) => url.replace('postgres:test@', `${role}:x@`)
  const grants = `GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${service}`
  return {
    owner: as(owner),
    service: as(service),
    grant: () => administer(as(owner), `ALTER DEFAULT PRIVILEGES ${grants}`),
    revoke: () => administer(as(owner), `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${service}`),
  }
}

test('migrate creates the tables of a file, names its migrations, and does nothing the second time', async () => {
  const url = `sqlite:${join(freshFolder(), 'a.db')}`
  const first = await migrate(url)
  assert.equal(first.code, exitCodes.done)
  assert.match(first.out, /^ledger\/001-ledger\n(?:\w+\/(?:\d+-|\+)[\w-]+\n)+$/)
  assert.equal((await migrate(url)).out, 'The tables are up to date.\n')
  assert.deepEqual(JSON.parse((await migrate(url, '--json')).out), { migrations: [] })
})

describe('On PostgreSQL', { skip }, () => {
  test('the service runs with a role that may not create tables after another role has migrated', async (t) => {
    const { owner, service, grant } = await twoRoles(t)
    const refused = await migrate(service)
    assert.equal(refused.code, exitCodes.unusableData)
    assert.match(
      refused.err,
      /may not create or change tables, and this version needs the migrations ledger\/001-ledger, .*Run `rollcall migrate` as the role that owns the tables\. PostgreSQL says: permission denied for schema public\.\n$/,
    )
    await grant()
    assert.equal((await migrate(owner)).code, exitCodes.done)
    const api = await startApp(t, { DATABASE_URL: service, ACCESS: 'open' })
    assert.equal((await api('POST /todos', { todoTitle: 'mine' })).status, 201)
    assert.equal((await fetch(`${api.management}/health/ready`)).status, 200)
    const doctor = await rollcall(
      ['doctor', '--database-url', service, '--port', '0', '--management-port', '0'],
      {},
    )
    assert.match(doctor.out, /good +data .*with the tables of this version/)
    assert.equal((await rollcall(['todo', 'list', '--database-url', service], {})).code, exitCodes.done)
  })

  test('a start that needs one migration names it, and so does doctor', async (t) => {
    const { owner, service, grant } = await twoRoles(t)
    await grant()
    await migrate(owner)
    await administer(owner, "DELETE FROM migration WHERE room = 'member'")
    const names = /this version needs the migrations member\/[\w-]+(?:, member\/[\w-]+)*\. Run/
    await assert.rejects(startApp(t, { DATABASE_URL: service }), { name: 'DataUnusable', message: names })
    assert.match((await rollcall(['doctor', '--database-url', service], {})).out, names)
  })

  test('a refusal names the privileges that the role lacks on the tables', async (t) => {
    const { owner, service, revoke } = await twoRoles(t)
    await migrate(owner)
    await revoke()
    await assert.rejects(startApp(t, { DATABASE_URL: service }), {
      message:
        /GRANT SELECT, INSERT, UPDATE, DELETE .* PostgreSQL says: permission denied for table migration\.$/,
    })
  })
})
