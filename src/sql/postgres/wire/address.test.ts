import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import { addressOf } from './address.ts'
import { findUrlFault, hostsOf } from './url.ts'

const host = { host: 'one', port: 5432 }
const addressFrom = (url: string) => addressOf(url, host)

test('the user, password, database and session parameters in a URL are decoded', () => {
  const { encryption, ...address } = addressFrom(
    'postgres://me%40us:p%40s:s@one,two:6432/my%20data?search_path=app&sslmode=disable&channel_binding=prefer&connect_timeout=7&options=-c%20a%3Db',
  )
  assert.equal(encryption, undefined)
  assert.deepEqual(address, {
    ...host,
    user: 'me@us',
    password: 'p@s:s',
    passfileFault: undefined,
    database: 'my data',
    channelBinding: 'prefer',
    connectMs: 7_000,
    startupParameters: { application_name: 'rollcall', options: '-c a=b' },
    sessionParameters: { search_path: 'app' },
  })
})

test('the database defaults to the name of the user', () => {
  assert.equal(addressFrom('postgresql://me@one').database, 'me')
  assert.equal(addressFrom('postgresql://me@one/?sslmode=require').database, 'me')
})

const realEnvironment = process.env

/** Sets environment variables until the test ends. */
const setEnvironment = (t: TestContext, values: Readonly<Record<string, string>>) => {
  t.after(() => {
    process.env = realEnvironment
  })
  process.env = { ...values }
}

test('the environment completes the URL, and the system user is the default user', (t) => {
  const identity = (url: string) => {
    const { user, password, database } = addressFrom(url)
    return [user, password, database]
  }
  setEnvironment(t, { PGUSER: 'her', PGPASSWORD: 'secret', PGDATABASE: 'hers' })
  assert.deepEqual(identity('postgres://one'), ['her', 'secret', 'hers'])
  assert.deepEqual(identity('postgres://me:mine@one/data'), ['me', 'mine', 'data'])
  setEnvironment(t, {
    PGSSLMODE: 'require',
    PGAPPNAME: 'hers',
    PGCONNECT_TIMEOUT: '9',
    PGSSLNEGOTIATION: 'direct',
  })
  const { encryption, connectMs, startupParameters } = addressFrom('postgres://one')
  assert.deepEqual(
    [encryption?.isDirect, connectMs, startupParameters],
    [true, 9_000, { application_name: 'hers' }],
  )
  setEnvironment(t, { PGSSLMODE: 'require' })
  assert.equal(addressFrom('postgres://one?sslmode=disable').encryption, undefined)
  setEnvironment(t, {})
  const { username } = userInfo()
  assert.deepEqual(identity('postgres://one'), [username, '', username])
})

const encryptions: [string, { isOptional: boolean; rejectUnauthorized: boolean } | undefined][] = [
  ['', { isOptional: true, rejectUnauthorized: false }],
  ['sslmode=disable', undefined],
  ['ssl=false', undefined],
  ['sslmode=allow', { isOptional: true, rejectUnauthorized: false }],
  ['sslmode=prefer', { isOptional: true, rejectUnauthorized: false }],
  ['sslmode=require', { isOptional: false, rejectUnauthorized: false }],
  ['ssl=true', { isOptional: false, rejectUnauthorized: false }],
  ['sslmode=verify-ca', { isOptional: false, rejectUnauthorized: true }],
  ['sslmode=verify-full', { isOptional: false, rejectUnauthorized: true }],
  ['sslrootcert=system', { isOptional: false, rejectUnauthorized: true }],
]

for (const [query, expected] of encryptions) {
  test(`"${query}" decides whether encryption is required and the certificate checked`, () => {
    const { encryption } = addressFrom(`postgres://me@one/data?${query}`)
    const { isOptional, tls } = encryption ?? {}
    assert.deepEqual(encryption && { isOptional, rejectUnauthorized: tls?.rejectUnauthorized }, expected)
  })
}

const defaultPort = 5432

for (const [url, variables, hosts] of [
  ['postgres://localhost/rollcall', {}, [['localhost', defaultPort]]],
  ['postgres://me:secret@db.example:6432/a?sslmode=require', { PGPORT: '1' }, [['db.example', 6432]]],
  [
    'postgresql://me:p%40ss@one,two:5433/a',
    { PGHOST: 'x' },
    [
      ['one', defaultPort],
      ['two', 5433],
    ],
  ],
  [
    'postgres://me@[::1]:5433,[fe80::1]/a',
    {},
    [
      ['::1', 5433],
      ['fe80::1', defaultPort],
    ],
  ],
  ['postgres:///a', {}, [['localhost', defaultPort]]],
  ['postgres:///a', { PGHOST: '/run/pg', PGPORT: '6' }, [['/run/pg', 6]]],
  [
    'postgres://',
    { PGHOST: 'one,::1', PGPORT: '6' },
    [
      ['one', 6],
      ['::1', 6],
    ],
  ],
  [
    'postgres://',
    { PGHOST: 'one,two', PGPORT: '6,7' },
    [
      ['one', 6],
      ['two', 7],
    ],
  ],
  ['postgres://one', { PGPORT: '6' }, [['one', 6]]],
  ['postgres://%2Frun%2Fpg:7/a', {}, [['/run/pg', 7]]],
  ['postgres://:7/a?host=/run/pg', { PGHOST: 'x' }, [['/run/pg', 7]]],
] as const)
  test(`the hosts are read from ${url} and ${JSON.stringify(variables)}`, (t) => {
    setEnvironment(t, variables)
    assert.deepEqual(
      hostsOf(url).map(({ host, port }) => [host, port]),
      hosts,
    )
  })

for (const [variables, fault] of [
  [{ PGHOST: 'one,two', PGPORT: '1,2,3' }, /^The environment \(PGPORT\) must name hosts/],
  [{ PGHOST: 'one', PGPORT: 'x' }, /^The environment \(PGPORT\) must name hosts/],
  [{ PGSSLMODE: 'foo' }, /^The environment \(PGSSLMODE\) must have sslmode as /],
  [
    { PGSERVICE: 'foo' },
    /^The environment \(PGSERVICE\) has the parameter service, which is not supported\.$/,
  ],
  [{ PGREQUIREAUTH: 'none' }, /^The environment \(PGREQUIREAUTH\) /],
  [{ PGSSLROOTCERT: '/foo' }, /^The environment \(PGSSLROOTCERT\) has an sslrootcert, but its sslmode/],
  [{ PGSSLNEGOTIATION: 'direct' }, /^The environment \(PGSSLNEGOTIATION\) has sslnegotiation=direct/],
  [{ PGSSLMINPROTOCOLVERSION: 'TLSv1.3' }, /^The environment \(PGSSLMINPROTOCOLVERSION\) has the parameter/],
  [{ PGSSLMODE: 'require', PGSSLKEY: '/foo' }, /^The environment \(PGSSLKEY\) must give sslcert and sslkey/],
] as const)
  test(`an error names the refused variable among ${JSON.stringify(variables)}`, (t) => {
    setEnvironment(t, variables)
    assert.match(findUrlFault('postgres://') ?? '', fault)
    assert.equal(findUrlFault('sqlite:a.db'), undefined)
  })

test('a Unix socket is not encrypted, and a client certificate is sent', () => {
  const query = `sslmode=require&sslcert=${import.meta.filename}&sslkey=${import.meta.filename}&sslpassword=p`
  const { tls } = addressFrom(`postgres://me@one/data?${query}`).encryption ?? {}
  assert.match(String(tls?.cert), /is shown/)
  assert.deepEqual([tls?.key, tls?.passphrase], [tls?.cert, 'p'])
  assert.equal(addressOf(`postgres://?${query}`, { host: '/run', port: defaultPort }).encryption, undefined)
})

test('TLS starts without an SSLRequest only if the URL says so, and SNI has a host name but never an IP address', () => {
  const encryptionOf = (host: string, query: string) =>
    addressOf(`postgres://me@one/data?sslmode=require${query}`, { host, port: 5432 }).encryption
  assert.equal(encryptionOf('one', '')?.isDirect, false)
  assert.equal(encryptionOf('one', '&sslnegotiation=direct')?.isDirect, true)
  assert.equal(encryptionOf('one', '')?.tls.servername, 'one')
  for (const host of ['192.0.2.7', '2001:db8::1'])
    assert.equal(encryptionOf(host, '')?.tls.servername, undefined)
})
