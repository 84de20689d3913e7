import assert from 'node:assert/strict'
import { readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { serve, type Texts } from '../operations/child.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { rollcall } from './warm.ts'

const skip = await noPostgres()

interface Diagnosis {
  readonly check: string
  readonly verdict: string
  readonly says: string
}

const freePorts = { PORT: '0', MANAGEMENT_PORT: 'off' }

/** The exit code of doctor, and its verdict in this check: a bad one, if there is any. */
const diagnose = async (check: string, environment: Texts) => {
  const { code, out } = await rollcall(['doctor', '--json'], {
    environment: { ...freePorts, ...environment },
  })
  const all = (JSON.parse(out) as Diagnosis[]).filter((one) => one.check === check)
  const found = all.find(({ verdict }) => verdict === 'bad') ?? all[0]
  return { code, verdict: found?.verdict, says: found?.says ?? '' }
}

/** The sentence with which a start is refused. */
const refusalOfStart = async (environment: Texts) => {
  const { err } = await rollcall(['serve'], { environment: { ...freePorts, ...environment } })
  return err.replace(/^rollcall: /, '').trim()
}

/** Creates a database by adding a todo. */
const createDatabase = async () => {
  const path = join(freshFolder(), 'rollcall.db')
  const settings = { DATABASE_URL: `sqlite:${path}` }
  const run = () => rollcall(['todo', 'add', 'Buy milk'], { environment: settings })
  assert.equal((await run()).code, 0)
  return { path, settings }
}

const mark = (path: string, room: string, name: string) =>
  edit(path, `INSERT INTO migration (room, name, checksum) VALUES ('${room}', '${name}', 'x')`)

const edit = (path: string, statement: string) => {
  using db = new DatabaseSync(path)
  db.exec(statement)
}

test('doctor reports data that a start would refuse, in the same words, and exits with 3', async (t) => {
  const later = await createDatabase()
  mark(later.path, 'todo', '999-later')
  const sentence = await refusalOfStart(later.settings)
  assert.match(sentence, /todo\/999-later that this program does not know/)
  assert.deepEqual(await diagnose('data', later.settings), {
    code: 3,
    verdict: 'bad',
    says: `written by a later version. ${sentence}`,
  })

  const edited = await createDatabase()
  edit(edited.path, "UPDATE migration SET checksum = 'x' WHERE room = 'todo'")
  const other = await refusalOfStart(edited.settings)
  assert.match(
    other,
    /todo\/001-todo with content that differs .* export with that one and import into a new database with this one\.$/,
  )
  assert.deepEqual(await diagnose('data', edited.settings), {
    code: 3,
    verdict: 'bad',
    says: `written by another build. ${other}`,
  })

  const half = await createDatabase()
  mark(half.path, 'move', 'unfinished')
  const says = await refusalOfStart(half.settings)
  assert.match(says, /A move to this database has not ended/)
  assert.deepEqual(await diagnose('data', half.settings), { code: 3, verdict: 'bad', says })

  const taken = await createDatabase()
  await serve(t, { environment: taken.settings })
  assert.deepEqual(await diagnose('data', taken.settings), {
    code: 3,
    verdict: 'bad',
    says: await refusalOfStart(taken.settings),
  })
})

test('doctor reports the remains of a missing database in the words of a start, and exits with 3', async () => {
  const folder = freshFolder()
  const cutOff = join(folder, 'cut-off.db')
  await writeFile(`${cutOff}.restored`, 'what was brought')
  const alone = join(folder, 'alone.db')
  await writeFile(`${alone}-wal`, 'a log')
  const linked = join(folder, 'linked.db')
  await symlink(join(folder, 'unmounted/rollcall.db'), linked)
  for (const [path, pattern] of [
    [cutOff, /a restore was cut off/],
    [alone, /its log .* is there/],
    [linked, /is a link, and nothing is where it leads/],
  ] as const) {
    const settings = { DATABASE_URL: `sqlite:${path}` }
    const says = await refusalOfStart(settings)
    assert.match(says, pattern)
    assert.deepEqual(await diagnose('data', settings), { code: 3, verdict: 'bad', says })
  }
})

test('doctor reports a place where a start can create no database, in its words, and leaves nothing', async () => {
  const folder = freshFolder()
  await writeFile(join(folder, 'file'), 'text')
  for (const [path, words] of [
    ['/proc/rollcall/data/a.db', /is not there, and cannot be created/],
    [join(folder, 'file/a.db'), /cannot be used/],
  ] as const) {
    const settings = { DATABASE_URL: `sqlite:${path}` }
    const says = await refusalOfStart(settings)
    assert.match(says, words)
    assert.deepEqual(await diagnose('data', settings), { code: 3, verdict: 'bad', says })
  }
  const fresh = { DATABASE_URL: `sqlite:${join(folder, 'new/deep/a.db')}` }
  assert.equal((await diagnose('data', fresh)).verdict, 'look')
  assert.deepEqual(await readdir(folder), ['file'])
})

test('doctor reports settings that a start would refuse, in the same words, and exits with 2', async (t) => {
  const { settings } = await createDatabase()
  const folder = freshFolder()
  const [text, none] = [join(folder, 'text'), join(folder, 'none')]
  await writeFile(text, 'No certificate.')
  const service = await serve(t, { environment: { DATABASE_URL: `sqlite:${join(folder, 'other.db')}` } })
  const table: readonly (readonly [string, Texts])[] = [
    ['refused passwords', { REFUSED_PASSWORDS: none }],
    ['sslrootcert', { DATABASE_URL: `postgres://me@127.0.0.1:1/a?sslmode=verify-ca&sslrootcert=${none}` }],
    ['tls', { TLS_CERT: none, TLS_KEY: none }],
    ['tls', { TLS_CERT: text, TLS_KEY: text }],
    ['listening', { PORT: new URL(service.url).port }],
    ['listening', { MANAGEMENT_PORT: new URL(service.management).port }],
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

test('doctor tries both places where the service listens, and reports every one that is taken', async (t) => {
  const folder = freshFolder()
  const taken = await serve(t, { environment: { DATABASE_URL: `sqlite:${join(folder, 'a.db')}` } })
  const listening = async (environment: Texts) => {
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
  const [api, management] = [new URL(taken.url).port, new URL(taken.management).port]
  const both = await listening({ PORT: api, MANAGEMENT_PORT: management })
  assert.equal(both.code, 2)
  assert.match(
    both.found[0] ?? '',
    new RegExp(`^bad: Cannot listen on 127.0.0.1:${api}, set by HOST and PORT`),
  )
  assert.match(
    both.found[1] ?? '',
    new RegExp(`^bad: Cannot listen on 127.0.0.1:${management}, set by MANAG`),
  )
  const off = await listening({ PORT: '0', MANAGEMENT_PORT: 'off' })
  assert.deepEqual(off.found, ['good: 127.0.0.1:0 for the API'])
})

test('doctor tells apart PostgreSQL databases: empty, foreign, of this version, of a later one', {
  skip,
}, async (t) => {
  const DATABASE_URL = await freshDatabase(t)
  const data = async () => {
    const { verdict, says } = await diagnose('data', { DATABASE_URL })
    return `${verdict}: ${says.replace(/^\S+ /, '')}`
  }
  assert.equal(await data(), 'good: answers, and is empty; the service creates its tables when it starts')
  await administer(DATABASE_URL, 'CREATE TABLE letter (text text)')
  assert.equal(
    await data(),
    'look: answers; it holds tables of another program; the service creates its own alongside when it starts',
  )
  assert.equal((await rollcall(['todo', 'add', 'a'], { environment: { DATABASE_URL } })).code, 0)
  assert.equal(await data(), 'good: answers, with the tables of this version')
  await administer(
    DATABASE_URL,
    "INSERT INTO migration (room, name, checksum) VALUES ('todo', '999-later', 'x')",
  )
  assert.match(await data(), /^bad: by a later version\. The database has the migration todo\/999-later/)
})

test('doctor reports an unusable PostgreSQL in the words of a start, and neither creates a table', {
  skip,
}, async (t) => {
  type Place = Readonly<Record<string, string>>
  const setups: readonly (readonly [statement: string, place: (role: string) => Place, RegExp])[] = [
    [
      "CREATE ROLE $ LOGIN PASSWORD 'x'",
      (username) => ({ username, password: 'x' }),
      /permission denied for schema public/,
    ],
    ['SELECT 1', () => ({ password: 'wrong' }), /password authentication failed for user/],
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

test('doctor reports a database in another encoding than UTF-8 in the words of a start', {
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

test('doctor warns if the clock disagrees with that of PostgreSQL', { skip }, async (t) => {
  const url = await freshDatabase(t)
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
