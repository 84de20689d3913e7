import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Random } from '#lab/random.ts'

export const audience = 'https://rollcall.example'

export type Fields = Readonly<Record<string, unknown>>

interface Key {
  readonly header: { readonly alg: string; readonly kid: string }
  readonly sign: (text: string) => Buffer
  readonly jwk: object
}

const everything = ['todos', 'members']
  .flatMap((noun) => ['read', 'create', 'update', 'delete'].map((verb) => `${noun}:${verb}`))
  .join(' ')

const lifetimeSeconds = 12 * 60 * 60

/** Makes tokens of an issuer, and lookalikes. */
export const tokenMaker = (issuer: string, keys: readonly Key[]) => {
  const claims = (): Fields => {
    const now = Math.floor(Date.now() / 1000)
    return {
      iss: issuer,
      aud: audience,
      sub: 'robot',
      iat: now,
      exp: now + lifetimeSeconds,
      scope: everything,
    }
  }
  const signed = (header: Fields, payload: string, key: Key): string => {
    const text = `${base64url(JSON.stringify(header))}.${base64url(payload)}`
    return `${text}.${key.sign(text).toString('base64url')}`
  }
  return {
    claims,
    signed,
    keys,
    /** Valid except for the given claims and header fields; undefined removes one. */
    token: (random: Random, differs: Fields = {}, header: Fields = {}): string => {
      const key = random.pick(keys)
      return signed(
        { typ: 'at+jwt', ...key.header, ...header },
        JSON.stringify({ ...claims(), ...differs }),
        key,
      )
    },
  }
}

export type TokenMaker = ReturnType<typeof tokenMaker>

export const base64url = (text: string): string => Buffer.from(text).toString('base64url')

export const ecKey = (kid: string): Key => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    header: { alg: 'ES256', kid },
    sign: (text) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
    jwk: jwk(publicKey, kid, 'ES256'),
  }
}

export const edKey = (kid: string): Key => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    header: { alg: 'EdDSA', kid },
    sign: (text) => sign(null, Buffer.from(text), privateKey),
    jwk: jwk(publicKey, kid, 'EdDSA'),
  }
}

/** For signing with a public key, used as if it were a shared secret. */
export const hmacKey = (kid: string, secret: string): Key => ({
  header: { alg: 'HS256', kid },
  sign: (text) => createHmac('sha256', secret).update(text).digest(),
  jwk: {},
})

const jwk = (key: KeyObject, kid: string, alg: string) => ({
  ...key.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
})
