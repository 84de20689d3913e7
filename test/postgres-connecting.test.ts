import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { inspect } from 'node:util'
import { rootCauseOf } from '#core/cause.ts'
import type { Row } from '#sql/database.ts'
import { openDatabase } from '#sql/open.ts'
import { join as joined, raw, sql } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { openConfiguredDatabase } from '#src/app/database.ts'
import { exitCodes } from '#src/cli/exit.ts'
import { ellipticKey, noOpenssl } from './certificate.ts'
import { freshFolder } from './fresh-folder.ts'
import { interceptor } from './interceptor.ts'
import { rollcall } from './operations/child.ts'
import { administer, freshDatabase, noPostgres, type Server } from './postgres.ts'
import { ownServer, until } from './postgres-notes.ts'

const skip = await noPostgres()
const folderOf = async ({ url }: Server) =>
  String((await administer(url, "SELECT current_setting('data_directory') AS folder"))[0]?.folder)

/** Replaces the rules for authentication. */
const setRules = async ({ url }: Server, folder: string, line: string) => {
  const rules = `host all postgres 127.0.0.1/32 password\n${line}`
  await administer(
    url,
    `COPY (SELECT $$${rules}$$) TO PROGRAM 'printf "%b\\n" "$(cat)" > ${folder}/pg_hba.conf'`,
  )
  await administer(url, 'SELECT pg_reload_conf()')
  const [method] = line.split(' ').slice(-1)
  const seen = `SELECT FROM pg_hba_file_rules WHERE auth_method = '${method}' AND error IS NULL`
  while ((await administer(url, seen)).length === 0);
}

/** A key and a certificate that a server may read. */
const certify = (folder: string, name: string, host: string, newKey: readonly string[] = ellipticKey) => {
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const keyOptions = [...newKey, '-nodes', '-days', '1']
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  execFileSync('openssl', ['req', '-x509', ...keyOptions, ...names, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
  const { uid, gid } = statSync(folder)
  for (const file of [key, certificate]) chownSync(file, uid, gid)
  chmodSync(key, 0o600)
  return { key, certificate }
}

const urlAs = ({ url }: Server, login: string, query = '') => {
  const address = new URL(url)
  return `postgres://${login}@127.0.0.1:${address.port}/postgres${query}`
}

const queryOnce = async (t: TestContext, url: string, statement = 'SELECT current_user AS result') => {
  const database = await openDatabase(url)
  t.after(() => database.close())
  return (await database.read(raw(statement), (row) => row.result))[0]
}

const refused = (url: string) =>
  assert.rejects(openDatabase(url), (error) => error instanceof DataUnusable && !/geheim/.test(error.message))

/** Passwords, and how else each may be typed. Those with only one form may not be prepared, and are used as they are. */
const passwords: readonly (readonly [stored: string, same?: string])[] = [
  ['a\u00adb', 'ab'],
  ['a\u200bb', 'a b'],
  ['a\u200db\ufe0f', 'ab'],
  ['a\u00a0b\u3000', 'a b '],
  ['e\u0301\u2168', 'éIX'],
  ['\u05d0\u00ad\u05d1', '\u05d0\u05d1'],
  ['\u00ad'],
  ['a\u00ad\ue000'],
  ['👨\u200d👩'],
  ['\u0627\u00ad1'],
  ['\u05d0\u00adb\u05d0'],
]

const countOf = (row: Row) => row.count

describe('A connection to PostgreSQL', { skip }, () => {
  for (const [way, encryption] of [
    ['scram-sha-256', 'scram-sha-256'],
    ['md5', 'md5'],
  ])
    test(`authenticates with the right password only, by ${way}`, async (t) => {
      const server = await ownServer(t)
      await administer(
        server.url,
        `DO $$ BEGIN
          SET LOCAL password_encryption = '${encryption}';
          CREATE ROLE me LOGIN PASSWORD 'geheim é';
        END $$`,
      )
      await setRules(server, await folderOf(server), `host all me 127.0.0.1/32 ${way}`)
      assert.equal(await queryOnce(t, urlAs(server, `me:${encodeURIComponent('geheim é')}`)), 'me')
      await refused(urlAs(server, 'me:geheim'))
      await refused(urlAs(server, 'me'))
    })

  test('prepares a password as libpq and the server do, by SASLprep', async (t) => {
    const server = await ownServer(t)
    await administer(server.url, 'CREATE ROLE me LOGIN')
    await setRules(server, await folderOf(server), 'host all me 127.0.0.1/32 scram-sha-256')
    const logIn = (password: string) => queryOnce(t, urlAs(server, `me:${encodeURIComponent(password)}`))
    for (const [stored, same] of passwords) {
      await administer(server.url, `ALTER ROLE me PASSWORD '${stored}'`)
      assert.equal(await logIn(stored), 'me', inspect(stored))
      if (same !== undefined) assert.equal(await logIn(same), 'me', inspect(same))
    }
  })

  for (const [requested, effective] of [
    ['off', 'on'],
    ['local', 'on'],
    ['remote_apply', 'remote_apply'],
  ])
    test(`to a database that sets synchronous_commit=${requested} has ${effective}`, async (t) => {
      const url = await freshDatabase(t)
      const name = new URL(url).pathname.slice(1)
      await administer(url, `ALTER DATABASE ${name} SET synchronous_commit = ${requested}`)
      await administer(url, `ALTER DATABASE ${name} SET client_encoding = latin1`)
      const setting = "SELECT current_setting('synchronous_commit') || chr(233) || chr(128512) AS result"
      assert.equal(await queryOnce(t, url, setting), `${effective}é😀`)
    })

  test('has the parameters of its URL, and refuses one that the server does not take', async (t) => {
    const url = await freshDatabase(t)
    const given = '?statement_timeout=7s&Search_Path=app&options=-c%20work_mem%3D5MB&application_name=me'
    const settings = ['statement_timeout', 'search_path', 'work_mem', 'application_name']
      .map((name) => `current_setting('${name}')`)
      .join(` || ' ' || `)
    assert.equal(await queryOnce(t, url + given, `SELECT ${settings} AS result`), '7s app 5MB me')
    for (const wrong of ['sslmod=require', 'statement_timeout=soon', 'options=-c%20sslmod%3D1', 'port_=1'])
      await assert.rejects(openConfiguredDatabase(`${url}?${wrong}`), { name: 'SettingError' }, wrong)
  })

  test('can be configured as for libpq: by PG* variables, a Unix socket and a password file', async (t) => {
    const socketFolder = freshFolder()
    chmodSync(socketFolder, 0o777)
    const { port } = await ownServer(t, { socketFolder })
    const HOME = freshFolder()
    const passwords = join(HOME, '.pgpass')
    const place = { PGHOST: socketFolder, PGPORT: String(port), PGUSER: 'postgres', PGDATABASE: 'postgres' }
    const migrate = async (environment: Readonly<Record<string, string>>) => {
      const { code, err } = await rollcall(['migrate'], {
        environment: { DATABASE_URL: 'postgres://', HOME, ...place, ...environment },
      })
      return [code, err.replace(/^.*(?: cannot be used: |rollcall: )/s, '').trim()]
    }
    const none =
      'the server asks for a password, and none is given, neither in the URL nor in PGPASSWORD nor in a password file'
    assert.deepEqual(await migrate({}), [exitCodes.unusableData, none])
    assert.deepEqual(await migrate({ PGPASSWORD: 'test' }), [exitCodes.done, ''])
    writeFileSync(passwords, `127.0.0.1:*:*:*:wrong\nlocalhost:${port}:postgres:*:test\n`)
    const fault = `${none}: others may read ${passwords}, so it is ignored (chmod 0600)`
    assert.deepEqual(await migrate({}), [exitCodes.unusableData, fault])
    chmodSync(passwords, 0o600)
    assert.deepEqual(await migrate({}), [exitCodes.done, ''])
    const elsewhere = { PGPASSFILE: passwords, HOME: freshFolder() }
    const url = `postgres://postgres@${encodeURIComponent(socketFolder)}:${port}/postgres`
    assert.deepEqual(await migrate({ ...elsewhere, PGHOST: 'none', DATABASE_URL: url }), [exitCodes.done, ''])
    const [code, err] = await migrate({ DATABASE_URL: `${url}?requirepeer=me` })
    assert.equal(code, exitCodes.usageError)
    assert.match(String(err), /^DATABASE_URL has the parameter requirepeer, which is not/)
  })

  test('sends a client certificate to a server that asks for one', { skip: noOpenssl }, async (t) => {
    const server = await ownServer(t)
    const folder = await folderOf(server)
    const [own, client] = [certify(folder, 'server', 'localhost'), certify(folder, 'client', 'certified')]
    await administer(server.url, 'CREATE ROLE certified LOGIN')
    await administer(server.url, "ALTER SYSTEM SET ssl = 'on'")
    await administer(server.url, `ALTER SYSTEM SET ssl_ca_file = '${client.certificate}'`)
    await setRules(server, folder, 'hostssl all certified 127.0.0.1/32 cert')
    const shown = `&sslcert=${client.certificate}&sslkey=${client.key}`
    const url = (query: string) => urlAs(server, 'certified', `?sslmode=require${query}`)
    await until(() =>
      queryOnce(t, url(shown)).then(
        (user) => user === 'certified',
        () => false,
      ),
    )
    await assert.rejects(openDatabase(url('')), { message: /requires a valid client certificate$/ })
    const other = `&sslcert=${own.certificate}&sslkey=${own.key}`
    await refused(url(other))
    await assert.rejects(openConfiguredDatabase(url(`&sslcert=/none&sslkey=${own.key}`)), {
      name: 'SettingError',
      message: 'The sslcert of the database cannot be read: there is no file /none.',
    })
  })

  test('returns values of every kind and size unchanged', async (t) => {
    const server = await ownServer(t)
    const database = await openDatabase(server.url)
    t.after(() => database.close())
    const text = `${'é😀'.repeat(500_000)}?`
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256)
    const values = Array.from({ length: 40_000 }, () => sql`${1}`)
    const query = sql`SELECT ${text}::text AS text, ${bytes} AS bytes, ${null}::text AS none, ${true}::boolean AS yes,
      ${Number.MIN_SAFE_INTEGER}::bigint AS least, ${0.1}::float8 AS tenth, ''::text AS empty, '?' AS mark`
    const [row] = await database.read(query, (row) => row)
    assert.deepEqual(row, {
      ...{ text, bytes: Buffer.from(bytes), none: null, yes: true, least: Number.MIN_SAFE_INTEGER },
      ...{ tenth: 0.1, empty: '', mark: '?' },
    })
    const many = await database.read(
      sql`SELECT count(*) AS count FROM (VALUES (${joined(values, '), (')})) AS t`,
      countOf,
    )
    assert.deepEqual(many, [40_000])
  })

  test('is encrypted and verified as sslmode says; verify-full also checks the host name', {
    skip: noOpenssl,
  }, async (t) => {
    const server = await ownServer(t)
    const folder = await folderOf(server)
    await refused(urlAs(server, 'postgres:test', '?sslmode=require'))
    assert.equal(await queryOnce(t, urlAs(server, 'postgres:test', '?sslmode=prefer')), 'postgres')
    const { certificate } = certify(folder, 'server', 'localhost')
    await administer(server.url, "ALTER SYSTEM SET ssl = 'on'")
    await administer(server.url, 'SELECT pg_reload_conf()')
    const isEncrypted = 'SELECT ssl::text AS result FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
    const encryption = (query: string) =>
      queryOnce(t, urlAs(server, 'postgres:test', query), isEncrypted).catch(() => 'refused')
    let last: unknown
    await until(async () => {
      last = await encryption('?sslmode=require')
      return last === 'true'
    })
    assert.equal(await encryption('?sslmode=prefer'), 'true')
    assert.equal(await encryption('?sslmode=require&sslnegotiation=direct'), 'true')
    assert.equal(await encryption(''), 'true')
    assert.equal(await encryption('?sslmode=disable'), 'false')
    assert.equal(await encryption('?sslmode=verify-full'), 'refused')
    await assert.rejects(openDatabase(urlAs(server, 'postgres:test', '?sslmode=verify-full')), {
      message: /self-signed certificate\. Set sslrootcert=PATH in the URL, or PGSSLROOTCERT, to a file with /,
    })
    assert.equal(await encryption(`?sslmode=verify-ca&sslrootcert=${certificate}`), 'true')
    assert.equal(await encryption(`?sslmode=verify-full&sslrootcert=${certificate}`), 'refused')
    const stranger = join(folder, 'stranger.crt')
    writeFileSync(stranger, rootCertificates[0] ?? '')
    assert.equal(await encryption(`?sslmode=require&sslrootcert=${stranger}`), 'refused')
    assert.equal(await encryption(`?sslmode=require&sslrootcert=${certificate}`), 'true')
    const named = urlAs(server, 'postgres:test', `?sslmode=verify-full&sslrootcert=${certificate}`)
    assert.equal(await queryOnce(t, named.replace('127.0.0.1', 'localhost'), isEncrypted), 'true')

    await administer(server.url, 'CREATE ROLE me LOGIN')
    for (const [rules, isEncryptedByDefault] of [
      ['hostssl', 'true'],
      ['hostnossl', 'false'],
    ] as const) {
      await setRules(server, folder, `${rules} all me 127.0.0.1/32 trust`)
      assert.equal(await queryOnce(t, urlAs(server, 'me'), isEncrypted), isEncryptedByDefault)
    }
    await setRules(server, folder, 'hostssl all me 127.0.0.1/32 trust')
    await assert.rejects(openDatabase(urlAs(server, 'me', '?sslmode=disable')), {
      message: /, no encryption \(add \?sslmode=require to DATABASE_URL if the server can encrypt\)$/,
    })
  })

  for (const [isBound, keyOptions] of [
    [true, ellipticKey],
    [true, [...ellipticKey, '-sha384']],
    [true, ['-newkey', 'rsa:2048', '-sha1']],
    [false, ['-newkey', 'ed25519']],
  ] as const)
    test(`${isBound ? 'binds' : 'cannot bind'} its login to a certificate of ${keyOptions.join(' ')}`, {
      skip: noOpenssl,
    }, async (t) => {
      const server = await ownServer(t)
      const folder = await folderOf(server)
      certify(folder, 'server', 'localhost', keyOptions)
      await administer(server.url, "CREATE ROLE me LOGIN PASSWORD 'geheim'")
      await administer(server.url, "ALTER SYSTEM SET ssl = 'on'")
      await setRules(server, folder, 'host all me 127.0.0.1/32 scram-sha-256')
      const logIn = (query: string, port = server.port) =>
        queryOnce(t, urlAs({ ...server, url: `postgres://127.0.0.1:${port}` }, 'me:geheim', query)).catch(
          rootCauseOf,
        )
      await until(async () => (await logIn('?sslmode=require&channel_binding=disable')) === 'me')
      assert.equal(await logIn(''), 'me')
      const unbound = /no SCRAM-SHA-256-PLUS over TLS, which channel_binding=require asks for$/
      assert.match(String(await logIn('?channel_binding=require')), isBound ? /^me$/ : unbound)
      if (!isBound) return
      const between = await interceptor(t, server.port)
      assert.equal(await logIn('?channel_binding=disable', between), 'me')
      assert.match(String(await logIn('', between)), /channel binding check failed$/)
      const hiding = await interceptor(t, server.port, true)
      assert.match(String(await logIn('', hiding)), /channel binding negotiation error$/)
      assert.match(String(await logIn('?channel_binding=require', hiding)), unbound)
    })
})
