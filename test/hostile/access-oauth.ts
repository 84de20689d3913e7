import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Access, type Caller, line, type Standing } from './access.ts'
import { type Random, random as randomOf } from './random.ts'
import { audience, coded, ecKey, edKey, type Fields, hmacKey, type TokenMaker, tokenMaker } from './tokens.ts'

/** Programs bring tokens of an issuer, which is started here. */
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

/** Mostly one token again and again, and often one that was never seen. */
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

const claiming =
  (standing: Standing, differs: (random: Random, now: number) => Fields): Shape =>
  (random, make) =>
    bearer(standing, make.token(random, differs(random, Math.floor(Date.now() / 1000))))

const headed =
  (standing: Standing, header: Fields): Shape =>
  (random, make) =>
    bearer(standing, make.token(random, {}, header))

/** A right token in other words. */
const written =
  (standing: Standing, write: (token: string, random: Random) => string): Shape =>
  (random, make) => ({ standing, lines: write(make.token(random), random) })

/** A text instead of the claims, under a right signature. */
const worded =
  (standing: Standing, text: (claims: string, random: Random) => string): Shape =>
  (random, make) => {
    const key = random.pick(make.keys)
    const header = { typ: 'at+jwt', ...key.header }
    return bearer(standing, make.signed(header, text(JSON.stringify(make.claims()), random), key))
  }

const stranger = ecKey('one')
const unknown = ecKey('nobody')

const shapes: readonly Shape[] = [
  // Of another time.
  claiming('none', (_, now) => ({ exp: now - 60 })),
  claiming('none', () => ({ exp: 0 })),
  claiming('none', () => ({ exp: -1 })),
  claiming('none', () => ({ exp: undefined })),
  claiming('none', () => ({ exp: null })),
  claiming('none', (_, now) => ({ exp: String(now + 600) })),
  claiming('none', (_, now) => ({ exp: [now + 600] })),
  claiming('none', (_, now) => ({ nbf: now + 3600 })),
  claiming('none', () => ({ nbf: 'x' })),
  claiming('perhaps', (random) => ({ exp: random.pick([9e15, 1e22, 1e308, Number.MAX_VALUE]) })),
  claiming('perhaps', (random) => ({ iat: random.pick([-1, 9e15, 1e308, 'x', null]) })),
  // Of another issuer, for somebody else, about nobody.
  claiming('none', () => ({ iss: 'https://other.example' })),
  claiming('none', () => ({ iss: undefined })),
  claiming('none', () => ({ iss: ['https://other.example'] })),
  claiming('none', () => ({ iss: { toString: 'x' } })),
  claiming('none', () => ({ aud: 'https://other.example' })),
  claiming('none', () => ({ aud: undefined })),
  claiming('none', () => ({ aud: [] })),
  claiming('none', () => ({ aud: `${audience}/` })),
  claiming('some', () => ({ aud: ['x', audience] })),
  claiming('none', () => ({ sub: undefined })),
  claiming('none', () => ({ sub: '' })),
  claiming('perhaps', (random) => ({
    sub: random.pick([1, null, ['a'], {}, 'x'.repeat(3000), '\0', '\ud800']),
  })),
  claiming('none', () => ({ cnf: { jkt: 'x' } })),
  claiming('perhaps', (random) => ({
    scope: random.pick([1, null, {}, [['READ']], 'READ '.repeat(900), '__proto__']),
  })),
  claiming('perhaps', () => ({ scope: undefined, scp: ['members:read', 1, null] })),
  // Signed by others, or by nobody.
  headed('none', { alg: 'none' }),
  headed('none', { alg: 'None' }),
  headed('none', { alg: 'RS256' }),
  headed('none', { alg: 1 }),
  headed('none', { alg: undefined }),
  headed('none', { crit: ['exp'], exp: 1 }),
  headed('none', { crit: ['b64'], b64: false }),
  headed('none', { crit: [] }),
  headed('none', { typ: 'JWT' }),
  headed('none', { typ: undefined }),
  headed('none', { kid: 'nobody' }),
  headed('none', { kid: '../../../dev/null' }),
  headed('none', { kid: 'x'.repeat(4000) }),
  headed('perhaps', { kid: undefined }),
  headed('perhaps', { kid: 1 }),
  headed('perhaps', { kid: null }),
  headed('perhaps', { typ: 'application/at+jwt' }),
  headed('perhaps', { jwk: stranger.jwk, jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' }),
  headed('none', { zip: 'DEF', b64: false, crit: ['b64', 'zip'] }),
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
  // Not quite JSON, or too much of it.
  worded('none', (claims) => claims.slice(0, -1)),
  worded('none', (claims) => `[${claims}]`),
  worded('none', () => 'null'),
  worded('none', () => ''),
  worded('none', () => '""'),
  worded('none', (claims) => claims.replace('}', ',"aud":"https://other.example"}')),
  worded('perhaps', (claims) => claims.replace('{', '{"aud":"https://other.example","exp":1,')),
  worded('perhaps', (claims) => claims.replace('{', '{"__proto__":{"scope":"READ"},"constructor":1,')),
  worded('perhaps', (claims) => claims.replace(/"exp":\d+/, '"exp":1e999')),
  worded('perhaps', (claims) => claims.replace('{', `{"a":${'['.repeat(1500)}${']'.repeat(1500)},`)),
  worded('none', () => '['.repeat(5000)),
  worded('perhaps', (claims) => `\ufeff${claims}`),
  worded('perhaps', (claims, random) => claims.replace('robot', random.bytes(4).toString('latin1'))),
  // Torn and pieced together.
  written('none', (token) => line(`Bearer ${token}.`)),
  written('none', (token) => line(`Bearer ${token}.${coded('x')}`)),
  written('none', (token) => line(`Bearer ${token}=`)),
  written('none', (token) => line(`Bearer ${token.replace('.', '..')}`)),
  written('none', (token) => line(`Bearer ${token.slice(0, token.lastIndexOf('.') + 1)}`)),
  written('none', (token) => line(`Bearer ${token.slice(token.indexOf('.'))}`)),
  written('none', (token) => line(`Bearer ${token.slice(0, token.lastIndexOf('.'))}`)),
  written('none', (token, random) => line(`Bearer ${token.slice(0, random.int(token.length - 3))}`)),
  written('none', changed),
  written('none', () => line('Bearer ..')),
  written('none', () => line('Bearer a.b.c')),
  written('none', () => line(`Bearer ${'a'.repeat(9000)}.a.a`)),
  written('none', () => line(`Bearer ${'a.'.repeat(6000)}`)),
  written('none', () => line(`Bearer ${'A'.repeat(20_000)}`)),
  written('none', (_, random) => line(`Bearer ${random.bytes(60).toString('base64url')}.AA.AA`)),
  // Other schemes, other places.
  written('full', (token) => line(`bearer ${token}`)),
  written('full', (token) => line(`BEARER ${token}`)),
  written('perhaps', (token) => line(`Bearer   ${token}`)),
  written('perhaps', (token) => `Authorization: Bearer\r\n ${token}\r\n`),
  written('none', (token) => line(`Bearer\t${token}`)),
  written('none', (token) => line(token)),
  written('none', (token) => line(`Token ${token}`)),
  written('none', (token) => line(`DPoP ${token}`)),
  written('none', (token) => line(`Basic ${Buffer.from(`x:${token}`).toString('base64')}`)),
  written('none', (token) => line(`Bearer "${token}"`)),
  written('none', (token) => line(`Bearer ${token} ${token}`)),
  written('none', (token) => line(`Bearer ${token}, Bearer ${token}`)),
  written('none', (token) => line(`Bearer ${token}`).repeat(2)),
  written('none', (token) => line(`Bearer ${token}`) + line('Bearer x')),
  written('none', (token) => `Proxy-Authorization: Bearer ${token}\r\n`),
  written('none', (token) => `X-Access-Token: ${token}\r\nCookie: access_token=${token}\r\n`),
  written('none', () => line('')),
  written('none', () => line('Bearer')),
]

/** One letter is another one; the last of a part may hold bits that say nothing. */
function changed(token: string, random: Random): string {
  const at = random.int(token.length - 1)
  const isLast = token[at] === '.' || token[at + 1] === '.'
  const letter = token[at] === 'A' ? 'B' : 'A'
  return line(`Bearer ${isLast ? `${token}x` : token.slice(0, at) + letter + token.slice(at + 1)}`)
}
