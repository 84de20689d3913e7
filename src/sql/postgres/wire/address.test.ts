import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf } from './address.ts'

const host = { host: 'one', port: 5432 }
const of = (url: string) => addressOf(url, host)

test('an address names who signs in where, and what the session shall be', () => {
  const { encryption, ...address } = of(
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

test('without a database it is that of the user', () => {
  assert.equal(of('postgresql://me@one').database, 'me')
  assert.equal(of('postgresql://me@one/?sslmode=require').database, 'me')
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
  test(`"${query}" says how it is encrypted`, () => {
    const { encryption } = of(`postgres://me@one/data?${query}`)
    const { isOptional, tls } = encryption ?? {}
    assert.deepEqual(encryption && { isOptional, rejectUnauthorized: tls?.rejectUnauthorized }, expected)
  })
}

for (const [query, isNamed] of [
  ['sslmode=require', false],
  ['ssl=true', false],
  ['sslmode=verify-ca', false],
  ['sslmode=verify-full', true],
] as const) {
  test(`"${query}" and a root certificate: ${isNamed ? 'its name counts too' : 'the name does not count'}`, () => {
    const { tls } = of(`postgres://me@one/data?${query}&sslrootcert=${import.meta.filename}`).encryption ?? {}
    assert.equal(tls?.rejectUnauthorized, true)
    assert.match(String(tls?.ca), /a root certificate/)
    assert.equal(tls?.checkServerIdentity === undefined, isNamed)
  })
}

test('an encryption that nobody knows is refused', () => {
  assert.throws(() => of('postgres://me@one/data?sslmode=verify_full'))
})
