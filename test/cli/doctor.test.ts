import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { serve, type Variables } from '../operations/child.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { alter } from './folder.ts'
import { rollcall } from './warm.ts'

const skip = await noPostgres()

interface Diagnosis {
  readonly check: string
  readonly verdict: string
  readonly says: string
}

const freePorts = { PORT: '0', MANAGEMENT_PORT: 'off' }

const notRead = '; its rows were not checked; `rollcall verify` checks them all'

/** The exit code of doctor, and its verdict in this check: a bad one, if there is any. */
const diagnose = async (check: string, environment: Variables) => {
  const { code, out } = await rollcall(['doctor', '--json'], {
    environment: { ...freePorts, ...environment },
  })
  const all = (JSON.parse(out) as Diagnosis[]).filter((one) => one.check === check)
  const found = all.find(({ verdict }) => verdict === 'bad') ?? all[0]
  return { code, verdict: found?.verdict, says: found?.says ?? '' }
}

/** The message with which `serve` refuses to start. */
const refusalOfStart = async (environment: Variables) => {
  const { err } = await rollcall(['serve'], { environment: { ...freePorts, ...environment } })
  return err.replace(/^rollcall: /, '').trim()
}

/** A database with a todo, changed by a statement. */
const createDatabase = async (statement = '') => {
  const path = join(freshFolder(), 'rollcall.db')
  const settings = { DATABASE_URL: `sqlite:${path}` }
  assert.equal((await rollcall(['todo', 'add', 'Buy milk'], { environment: settings })).code, 0)
  alter(path, statement)
  return settings
}

test('doctor refuses open access together with a setting that restricts access, with the message of serve', async () => {
  const administrator = { ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'correct horse' }
  const { code, verdict, says } = await diagnose('settings', administrator)
  assert.deepEqual([code, verdict, says], [2, 'bad', await refusalOfStart(administrator)])
  const meant = await diagnose('access', { ...administrator, ACCESS: 'open' })
  assert.deepEqual([meant.code, meant.verdict], [0, 'look'])
})

test('doctor refuses unusable data with the message of serve, and exits with 3', async (t) => {
  const folder = freshFolder()
  const at = (name: string) => ({ DATABASE_URL: `sqlite:${join(folder, name)}` })
  await writeFile(join(folder, 'cut-off.db.restored'), 'what was brought')
  await writeFile(join(folder, 'alone.db-wal'), 'a log')
  await writeFile(join(folder, 'file'), 'text')
  await symlink(join(folder, 'unmounted/rollcall.db'), join(folder, 'linked.db'))
  const taken = await createDatabase()
  await serve(t, { environment: taken })
  const mark = 'INSERT INTO migration (room, name, checksum) VALUES'
  const refused: readonly (readonly [Variables, RegExp])[] = [
    [
      await createDatabase(`${mark} ('todo', '999-later', 'x')`),
      /todo\/999-later that this program does not know/,
    ],
    [await createDatabase(`${mark} ('loan', '+title', '')`), /the table of loan, which no resource declares/],
    [
      await createDatabase("UPDATE migration SET checksum = 'x' WHERE room = 'todo'"),
      /todo\/001-todo with content that differs .* export with that one and import into a new database with this one\.$/,
    ],
    [await createDatabase(`${mark} ('move', 'unfinished', 'x')`), /A move to this database has not ended/],
    [taken, /is in use by another process/],
    [at('cut-off.db'), /a restore was cut off/],
    [at('alone.db'), /its write-ahead log .* is there/],
    [at('linked.db'), /is a link whose target is missing/],
    [at('file/a.db'), /cannot be used/],
    [{ DATABASE_URL: 'sqlite:/proc/rollcall/data/a.db' }, /is not there, and cannot be created/],
  ]
  for (const [settings, pattern] of refused) {
    const says = await refusalOfStart(settings)
    assert.match(says, pattern)
    assert.deepEqual(await diagnose('data', settings), { code: 3, verdict: 'bad', says })
  }
  assert.equal((await diagnose('data', at('new/deep/a.db'))).verdict, 'look')
  assert.ok(!existsSync(join(folder, 'new')), 'it leaves nothing')
})

test('doctor refuses wrong settings with the message of serve, and exits with 2', async () => {
  const settings = await createDatabase()
  const folder = freshFolder()
  const [text, none] = [join(folder, 'text'), join(folder, 'none')]
  await writeFile(text, 'No certificate.')
  const table: readonly (readonly [string, Variables])[] = [
    ['refused passwords', { REFUSED_PASSWORDS: none }],
    ['sslrootcert', { DATABASE_URL: `postgres://me@127.0.0.1:1/a?sslmode=verify-ca&sslrootcert=${none}` }],
    ['tls', { TLS_CERT: none, TLS_KEY: none }],
    ['tls', { TLS_CERT: text, TLS_KEY: text }],
    ['listening', { HOST: '203.0.113.1', ACCESS: 'open' }],
    ['listening', { HOST: '[2001:db8::1]', ACCESS: 'open' }],
  ]
  for (const [check, wrong] of table) {
    const environment = { ...settings, ...wrong }
    const says = await refusalOfStart(environment)
    assert.match(says, /^[^\n]+\.$/)
    assert.deepEqual(await diagnose(check, environment), { code: 2, verdict: 'bad', says })
  }
})

test('doctor tries both ports and reports each one that is taken', async (t) => {
  const folder = freshFolder()
  const taken = await serve(t, { environment: { DATABASE_URL: `sqlite:${join(folder, 'a.db')}` } })
  const listening = async (environment: Variables) => {
    const { code, out } = await rollcall(['doctor', '--json'], {
      environment: { DATABASE_URL: 'sqlite::memory:', ...environment },
    })
    const found = (JSON.parse(out) as Diagnosis[]).filter(({ check }) => check === 'listening')
    return { code, found: found.map(({ verdict, says }) => `${verdict}: ${says}`) }
  }
  const free = await listening({ PORT: '0', MANAGEMENT_PORT: '0' })
  assert.deepEqual(free.found, [
    'good: 127.0.0.1:0 for the API',
    'good: 127.0.0.1:0 for console and management',
  ])
  const ports = [taken.url, taken.management].map((url) => new URL(url).port)
  const [PORT = '', MANAGEMENT_PORT = ''] = ports
  const { code, found } = await listening({ PORT, MANAGEMENT_PORT })
  assert.equal(code, 2)
  assert.deepEqual(
    found,
    [`${PORT} for the API`, `${MANAGEMENT_PORT} for console and management`].map(
      (place) => `bad: Rollcall already runs on 127.0.0.1:${place}`,
    ),
  )
  // Without a management listener nothing shows whose port it is.
  const other = await listening({ PORT, MANAGEMENT_PORT: 'off' })
  assert.match(other.found.join(), /^bad: Cannot listen on .* another program is listening there\.$/)
})

test('doctor distinguishes PostgreSQL databases that are empty, foreign, of this version and of a later one', {
  skip,
}, async (t) => {
  const DATABASE_URL = await freshDatabase(t)
  const data = async () => {
    const { verdict, says } = await diagnose('data', { DATABASE_URL })
    return `${verdict}: ${says.replace(/^\S+ (?:\(\S+:\d+, database \w+\) )?/, '')}`
  }
  const {
    hostname: PGHOST,
    port: PGPORT,
    pathname,
    username: PGUSER,
    password: PGPASSWORD,
  } = new URL(DATABASE_URL)
  const PGDATABASE = pathname.slice(1)
  const libpq = { DATABASE_URL: 'postgres://', PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD }
  const { says } = await diagnose('data', libpq)
  assert.ok(says.startsWith(`postgres:// (${PGHOST}:${PGPORT}, database ${PGDATABASE}) answers`), says)
  assert.equal(await data(), 'good: answers, and is empty; the service creates its tables when it starts')
  await administer(DATABASE_URL, 'CREATE TABLE letter (text text)')
  assert.equal(
    await data(),
    'look: answers; it holds tables of another program; the service creates its own alongside when it starts',
  )
  assert.equal((await rollcall(['todo', 'add', 'a'], { environment: { DATABASE_URL } })).code, 0)
  assert.equal(await data(), `good: answers, with the tables of this version${notRead}`)
  await administer(
    DATABASE_URL,
    "INSERT INTO migration (room, name, checksum) VALUES ('todo', '999-later', 'x')",
  )
  assert.match(await data(), /^bad: database has the migration todo\/999-later/)
})

test('doctor reports an unusable PostgreSQL with the message of serve, and neither command creates a table', {
  skip,
}, async (t) => {
  type Place = Readonly<Record<string, string>>
  const setups: readonly (readonly [statement: string, place: (role: string) => Place, RegExp])[] = [
    [
      "CREATE ROLE $ LOGIN PASSWORD 'x'",
      (username) => ({ username, password: 'x' }),
      /permission denied for schema public/,
    ],
    ['SELECT 1', () => ({ username: 'ghost' }), /password authentication failed for user "ghost"/],
    ['SELECT 1', () => ({ search: '?search_path=ghost' }), /no schema has been selected to create in/],
    ['CREATE TABLE todo (x int)', () => ({}), /those of Rollcall: relation "todo" already exists\.$/],
    ['CREATE TABLE migration (x int)', () => ({}), /those of Rollcall: column "room" does not exist\.$/],
  ]
  for (const [statement, place, pattern] of setups) {
    const url = await freshDatabase(t)
    const role = new URL(url).pathname.slice(1)
    await administer(url, statement.replace('$', role))
    const before = await tablesAt(url)
    const environment = { DATABASE_URL: Object.assign(new URL(url), place(role)).href }
    const { code, err } = await rollcall(['serve'], { environment: { ...freePorts, ...environment } })
    assert.equal(code, 3)
    const says = err.replace(/^rollcall: /, '').trim()
    assert.match(says, pattern)
    assert.deepEqual(await diagnose('data', environment), { code: 3, verdict: 'bad', says })
    assert.deepEqual(await tablesAt(url), before)
    await administer(url, `DROP ROLE IF EXISTS ${role}`)
  }
})

const tablesAt = async (url: string) =>
  Array.from(await administer(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), String)

test('doctor reports a database whose encoding is not UTF-8 with the message of serve', {
  skip,
}, async (t) => {
  const url = await freshDatabase(t)
  const name = `${new URL(url).pathname.slice(1)}_latin`
  await administer(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING LATIN1`)
  const elsewhere = Object.assign(new URL(url), { pathname: 'postgres' }).href
  t.after(() => administer(elsewhere, `DROP DATABASE ${name} WITH (FORCE)`))
  const environment = { DATABASE_URL: Object.assign(new URL(url), { pathname: name }).href }
  const says = await refusalOfStart(environment)
  assert.match(says, /^The encoding of the database is LATIN1\. Create one in UTF8: /)
  assert.deepEqual(await diagnose('data', environment), { code: 3, verdict: 'bad', says })
})

test('doctor reports a PostgreSQL without fsync as bad, and warns if its clock differs from that of this machine', {
  skip,
}, async (t) => {
  const url = await freshDatabase(t)
  // The PostgreSQL of the tests runs with fsync off.
  const off = 'fsync off: a crash of the machine may corrupt or lose everything'
  const durability = await diagnose('durability', { DATABASE_URL: url })
  assert.deepEqual(durability, { code: 2, verdict: 'bad', says: off })
  assert.equal((await diagnose('clock', { DATABASE_URL: url })).verdict, 'good')
  await administer(
    url,
    `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
     AS $$ SELECT pg_catalog.clock_timestamp() - interval '1 hour' $$`,
  )
  const DATABASE_URL = `${url}?search_path=public,pg_catalog`
  const { verdict, says } = await diagnose('clock', { DATABASE_URL })
  assert.equal(verdict, 'look')
  assert.match(says, /^The clock is 3(?:59|60)\d\.\d s ahead of that of the database: /)
})
