import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Random, random as randomOf } from '#lab/random.ts'
import { type Access, type Caller, line, type Standing } from './access.ts'
import {
  audience,
  base64url,
  ecKey,
  edKey,
  type Fields,
  hmacKey,
  type TokenMaker,
  tokenMaker,
} from './tokens.ts'

/** Callers send tokens of an issuer that is started here. */
export const byToken = async (): Promise<Access> => {
  const keys = [ecKey('one'), edKey('two')]
  const server = createServer((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const make = tokenMaker(issuer, keys)
  const token = make.token(randomOf(0), { jti: 'keeper' })
  const keeper: Caller = { standing: 'full', lines: line(`Bearer ${token}`) }
  return {
    name: 'oauth',
    settings: {
      ACCESS: 'oauth',
      OAUTH_ISSUER: issuer,
      OAUTH_AUDIENCE: audience,
      OAUTH_JWKS_URL: `${issuer}/jwks`,
    },
    secrets: [token.split('.')[2] ?? token],
    challenge,
    keeper,
    member: undefined,
    anyCaller: (random) => anyCaller(random, make, keeper),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const challenge =
  /^Bearer realm="rollcall", resource_metadata="http[^"]+"(, error="invalid_token", error_description="[^"]+")?$/

/** Mostly the same token, and often one that was never seen before. */
const anyCaller = (random: Random, make: TokenMaker, keeper: Caller): Caller => {
  if (!random.chance(3)) return keeper
  if (random.chance(3)) return bearer('full', make.token(random, { sub: `robot ${random.int(20)}` }))
  if (random.chance(3)) return bearer('some', make.token(random, { scope: random.pick(fewScopes) }))
  if (random.chance(5)) return { standing: 'none', lines: '' }
  return random.pick(shapes)(random, make)
}

const fewScopes = ['todos:read', 'READ', 'members:read members:update', 'todos:create todos:delete', '', 'x']

const bearer = (standing: Standing, token: string): Caller => ({ standing, lines: line(`Bearer ${token}`) })

type Shape = (random: Random, make: TokenMaker) => Caller

const withClaims =
  (standing: Standing, differs: (random: Random, now: number) => Fields): Shape =>
  (random, make) =>
    bearer(standing, make.token(random, differs(random, Math.floor(Date.now() / 1000))))

const withHeader =
  (standing: Standing, header: Fields): Shape =>
  (random, make) =>
    bearer(standing, make.token(random, {}, header))

/** A valid token, sent in another way. */
const writtenAs =
  (standing: Standing, write: (token: string, random: Random) => string): Shape =>
  (random, make) => ({ standing, lines: write(make.token(random), random) })

/** Some text in place of the claims, with a valid signature. */
const withPayload =
  (standing: Standing, text: (claims: string, random: Random) => string): Shape =>
  (random, make) => {
    const key = random.pick(make.keys)
    const header = { typ: 'at+jwt', ...key.header }
    return bearer(standing, make.signed(header, text(JSON.stringify(make.claims()), random), key))
  }

const stranger = ecKey('one')
const unknown = ecKey('nobody')

const shapes: readonly Shape[] = [
  // Expired, or not yet valid.
  withClaims('none', (_, now) => ({ exp: now - 60 })),
  withClaims('none', () => ({ exp: 0 })),
  withClaims('none', () => ({ exp: -1 })),
  withClaims('none', () => ({ exp: undefined })),
  withClaims('none', () => ({ exp: null })),
  withClaims('none', (_, now) => ({ exp: String(now + 600) })),
  withClaims('none', (_, now) => ({ exp: [now + 600] })),
  withClaims('none', (_, now) => ({ nbf: now + 3600 })),
  withClaims('none', () => ({ nbf: 'x' })),
  withClaims('perhaps', (random) => ({ exp: random.pick([9e15, 1e22, 1e308, Number.MAX_VALUE]) })),
  withClaims('perhaps', (random) => ({ iat: random.pick([-1, 9e15, 1e308, 'x', null]) })),
  // From another issuer, for another audience, or without a subject.
  withClaims('none', () => ({ iss: 'https://other.example' })),
  withClaims('none', () => ({ iss: undefined })),
  withClaims('none', () => ({ iss: ['https://other.example'] })),
  withClaims('none', () => ({ iss: { toString: 'x' } })),
  withClaims('none', () => ({ aud: 'https://other.example' })),
  withClaims('none', () => ({ aud: undefined })),
  withClaims('none', () => ({ aud: [] })),
  withClaims('none', () => ({ aud: `${audience}/` })),
  withClaims('some', () => ({ aud: ['x', audience] })),
  withClaims('none', () => ({ sub: undefined })),
  withClaims('none', () => ({ sub: '' })),
  withClaims('perhaps', (random) => ({
    sub: random.pick([1, null, ['a'], {}, 'x'.repeat(3000), '\0', '\ud800']),
  })),
  withClaims('none', () => ({ cnf: { jkt: 'x' } })),
  withClaims('perhaps', (random) => ({
    scope: random.pick([1, null, {}, [['READ']], 'READ '.repeat(900), '__proto__']),
  })),
  withClaims('perhaps', () => ({ scope: undefined, scp: ['members:read', 1, null] })),
  // Signed with other keys, or unsigned.
  withHeader('none', { alg: 'none' }),
  withHeader('none', { alg: 'None' }),
  withHeader('none', { alg: 'RS256' }),
  withHeader('none', { alg: 1 }),
  withHeader('none', { alg: undefined }),
  withHeader('none', { crit: ['exp'], exp: 1 }),
  withHeader('none', { crit: ['b64'], b64: false }),
  withHeader('none', { crit: [] }),
  withHeader('none', { typ: 'JWT' }),
  withHeader('none', { typ: undefined }),
  withHeader('none', { kid: 'nobody' }),
  withHeader('none', { kid: '../../../dev/null' }),
  withHeader('none', { kid: 'x'.repeat(4000) }),
  withHeader('perhaps', { kid: undefined }),
  withHeader('perhaps', { kid: 1 }),
  withHeader('perhaps', { kid: null }),
  withHeader('perhaps', { typ: 'application/at+jwt' }),
  withHeader('perhaps', { jwk: stranger.jwk, jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' }),
  withHeader('none', { zip: 'DEF', b64: false, crit: ['b64', 'zip'] }),
  (_, make) =>
    bearer(
      'none',
      make.signed({ typ: 'at+jwt', ...stranger.header }, JSON.stringify(make.claims()), stranger),
    ),
  (_, make) =>
    bearer('none', make.signed({ typ: 'at+jwt', ...unknown.header }, JSON.stringify(make.claims()), unknown)),
  (_, make) => {
    const jwk = stranger.jwk
    return bearer(
      'none',
      make.signed({ typ: 'at+jwt', ...stranger.header, jwk }, JSON.stringify(make.claims()), stranger),
    )
  },
  (random, make) => {
    const key = hmacKey('one', JSON.stringify(random.pick(make.keys).jwk))
    return bearer('none', make.signed({ typ: 'at+jwt', ...key.header }, JSON.stringify(make.claims()), key))
  },
  // Malformed or oversized JSON.
  withPayload('none', (claims) => claims.slice(0, -1)),
  withPayload('none', (claims) => `[${claims}]`),
  withPayload('none', () => 'null'),
  withPayload('none', () => ''),
  withPayload('none', () => '""'),
  withPayload('none', (claims) => claims.replace('}', ',"aud":"https://other.example"}')),
  withPayload('perhaps', (claims) => claims.replace('{', '{"aud":"https://other.example","exp":1,')),
  withPayload('perhaps', (claims) => claims.replace('{', '{"__proto__":{"scope":"READ"},"constructor":1,')),
  withPayload('perhaps', (claims) => claims.replace(/"exp":\d+/, '"exp":1e999')),
  withPayload('perhaps', (claims) => claims.replace('{', `{"a":${'['.repeat(1500)}${']'.repeat(1500)},`)),
  withPayload('none', () => '['.repeat(5000)),
  withPayload('perhaps', (claims) => `\ufeff${claims}`),
  withPayload('perhaps', (claims, random) => claims.replace('robot', random.bytes(4).toString('latin1'))),
  // Truncated or rearranged.
  writtenAs('none', (token) => line(`Bearer ${token}.`)),
  writtenAs('none', (token) => line(`Bearer ${token}.${base64url('x')}`)),
  writtenAs('none', (token) => line(`Bearer ${token}=`)),
  writtenAs('none', (token) => line(`Bearer ${token.replace('.', '..')}`)),
  writtenAs('none', (token) => line(`Bearer ${token.slice(0, token.lastIndexOf('.') + 1)}`)),
  writtenAs('none', (token) => line(`Bearer ${token.slice(token.indexOf('.'))}`)),
  writtenAs('none', (token) => line(`Bearer ${token.slice(0, token.lastIndexOf('.'))}`)),
  writtenAs('none', (token, random) => line(`Bearer ${token.slice(0, random.int(token.length - 3))}`)),
  writtenAs('none', changed),
  writtenAs('none', () => line('Bearer ..')),
  writtenAs('none', () => line('Bearer a.b.c')),
  writtenAs('none', () => line(`Bearer ${'a'.repeat(9000)}.a.a`)),
  writtenAs('none', () => line(`Bearer ${'a.'.repeat(6000)}`)),
  writtenAs('none', () => line(`Bearer ${'A'.repeat(20_000)}`)),
  writtenAs('none', (_, random) => line(`Bearer ${random.bytes(60).toString('base64url')}.AA.AA`)),
  // Other schemes and other headers.
  writtenAs('full', (token) => line(`bearer ${token}`)),
  writtenAs('full', (token) => line(`BEARER ${token}`)),
  writtenAs('perhaps', (token) => line(`Bearer   ${token}`)),
  writtenAs('perhaps', (token) => `Authorization: Bearer\r\n ${token}\r\n`),
  writtenAs('none', (token) => line(`Bearer\t${token}`)),
  writtenAs('none', (token) => line(token)),
  writtenAs('none', (token) => line(`Token ${token}`)),
  writtenAs('none', (token) => line(`DPoP ${token}`)),
  writtenAs('none', (token) => line(`Basic ${Buffer.from(`x:${token}`).toString('base64')}`)),
  writtenAs('none', (token) => line(`Bearer "${token}"`)),
  writtenAs('none', (token) => line(`Bearer ${token} ${token}`)),
  writtenAs('none', (token) => line(`Bearer ${token}, Bearer ${token}`)),
  writtenAs('none', (token) => line(`Bearer ${token}`).repeat(2)),
  writtenAs('none', (token) => line(`Bearer ${token}`) + line('Bearer x')),
  writtenAs('none', (token) => `Proxy-Authorization: Bearer ${token}\r\n`),
  writtenAs('none', (token) => `X-Access-Token: ${token}\r\nCookie: access_token=${token}\r\n`),
  writtenAs('none', () => line('')),
  writtenAs('none', () => line('Bearer')),
]

/** One character is changed; not the last of a part, some of whose bits may be unused. */
function changed(token: string, random: Random): string {
  const at = random.int(token.length - 1)
  const isLast = token[at] === '.' || token[at + 1] === '.'
  const letter = token[at] === 'A' ? 'B' : 'A'
  return line(`Bearer ${isLast ? `${token}x` : token.slice(0, at) + letter + token.slice(at + 1)}`)
}
