import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import { addressOf } from './address.ts'

const host = { host: 'one', port: 5432 }
const addressFrom = (url: string) => addressOf(url, host)

test('a URL yields user, password, database and session parameters, decoded', () => {
  const { encryption, ...address } = addressFrom(
    'postgres://me%40us:p%40s:s@one,two:6432/my%20data?search_path=app&sslmode=disable&channel_binding=prefer',
  )
  assert.equal(encryption, undefined)
  assert.deepEqual(address, {
    ...host,
    user: 'me@us',
    password: 'p@s:s',
    database: 'my data',
    parameters: { search_path: 'app' },
  })
})

test('without a path, the database has the name of the user', () => {
  assert.equal(addressFrom('postgresql://me@one').database, 'me')
  assert.equal(addressFrom('postgresql://me@one/?sslmode=require').database, 'me')
})

/** The environment of the process, for as long as the test runs. */
const environment = (t: TestContext, values: Readonly<Record<string, string>>) => {
  const before = { ...process.env }
  t.after(() => {
    process.env = before
  })
  process.env = { ...values }
}

test('what the URL leaves out comes from the environment, and else from the user of the system', (t) => {
  const identity = (url: string) => {
    const { user, password, database } = addressFrom(url)
    return [user, password, database]
  }
  environment(t, { PGUSER: 'her', PGPASSWORD: 'secret', PGDATABASE: 'hers' })
  assert.deepEqual(identity('postgres://one'), ['her', 'secret', 'hers'])
  assert.deepEqual(identity('postgres://me:mine@one/data'), ['me', 'mine', 'data'])
  environment(t, {})
  const { username } = userInfo()
  assert.deepEqual(identity('postgres://one'), [username, '', username])
})

const encryptions: [string, { isOptional: boolean; rejectUnauthorized: boolean } | undefined][] = [
  ['', undefined],
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

for (const [query, checksName] of [
  ['sslmode=require', false],
  ['ssl=true', false],
  ['sslmode=verify-ca', false],
  ['sslmode=verify-full', true],
] as const) {
  test(`"${query}" with a root certificate: the host name is ${checksName ? 'checked too' : 'not checked'}`, () => {
    const { tls } =
      addressFrom(`postgres://me@one/data?${query}&sslrootcert=${import.meta.filename}`).encryption ?? {}
    assert.equal(tls?.rejectUnauthorized, true)
    assert.match(String(tls?.ca), /a root certificate/)
    assert.equal(tls?.checkServerIdentity === undefined, checksName)
  })
}

test('an unknown sslmode is refused', () => {
  const read = () => addressFrom('postgres://me@one/data?sslmode=verify_full')
  assert.throws(read, { message: 'sslmode=verify_full is not known' })
})

test('TLS starts at once only if asked to, and names the server unless it is an address', () => {
  const encryptionOf = (host: string, query: string) =>
    addressOf(`postgres://me@one/data?sslmode=require${query}`, { host, port: 5432 }).encryption
  assert.equal(encryptionOf('one', '')?.isDirect, false)
  assert.equal(encryptionOf('one', '&sslnegotiation=direct')?.isDirect, true)
  assert.equal(encryptionOf('one', '')?.tls.servername, 'one')
  for (const host of ['192.0.2.7', '2001:db8::1'])
    assert.equal(encryptionOf(host, '')?.tls.servername, undefined)
})
