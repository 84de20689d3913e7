import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf } from './address.ts'

const host = { host: 'one', port: 5432 }
const addressFrom = (url: string) => addressOf(url, host)

test('a URL yields user, password, database and session parameters, decoded', () => {
  const { encryption, ...address } = addressFrom(
    'postgres://me%40us:p%40s:s@one,two:6432/my%20data?search_path=app&sslmode=disable',
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

const encryptions: [string, { isOptional: boolean; rejectUnauthorized: boolean } | undefined][] = [
  ['', undefined],
  ['sslmode=disable', undefined],
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
  assert.throws(() => addressFrom('postgres://me@one/data?sslmode=verify_full'))
})
