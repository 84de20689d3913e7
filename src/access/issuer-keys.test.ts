import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { isUsableKey, jwksUriOf } from './issuer-keys.ts'

test('the keys of an issuer must be at an address that begins with https, or with the scheme of the issuer', () => {
  const [secure, plain, keys] = ['https://id.example', 'http://id.example', '://keys.example/jwks']
  for (const [issuer, scheme] of [
    [secure, 'https'],
    [plain, 'https'],
    [plain, 'http'],
  ] as const) {
    const jwks_uri = scheme + keys
    assert.equal(jwksUriOf(issuer, { issuer, jwks_uri }), jwks_uri)
  }
  for (const [issuer, scheme] of [
    [secure, 'http'],
    [secure, 'file'],
    [plain, 'ftp'],
  ] as const) {
    const read = () => jwksUriOf(issuer, { issuer, jwks_uri: scheme + keys })
    assert.throws(read, /are not at an https address$/, `${issuer} ${scheme}`)
  }
})

test('a document that is not an object, or names no keys, is refused', () => {
  for (const document of [null, [], { issuer: 'https://id.example/' }])
    assert.throws(() => jwksUriOf('https://id.example', document), /as its issuer$/)
  assert.throws(() => jwksUriOf('https://id.example', { issuer: 'https://id.example' }), /names no keys$/)
})

test('keys that are weak, secret or broken are left out of a key set', () => {
  const rsa = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' })
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const strong = rsa(2_048)
  for (const key of [strong, curve, { ...curve, kid: 'one', use: 'sig' }]) assert.ok(isUsableKey(key))
  const secret = { kty: 'oct', k: 'c2VjcmV0' }
  const offCurve = { ...curve, x: 'AAAA' }
  for (const key of [
    rsa(1_024),
    { ...strong, e: 'AQ' },
    secret,
    offCurve,
    { kty: 'new' },
    {},
    [],
    null,
    'key',
  ])
    assert.ok(!isUsableKey(key), JSON.stringify(key))
})
