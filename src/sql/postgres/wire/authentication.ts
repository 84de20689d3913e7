import {
  createHash,
  createHmac,
  pbkdf2,
  randomBytes,
  timingSafeEqual,
  type X509Certificate,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Address } from './address.ts'
import type { Outgoing } from './outgoing.ts'
import { saslprep } from './saslprep.ts'

type Login = Pick<Address, 'user' | 'password' | 'passfileFault' | 'channelBinding'>

/** Answers the server's authentication requests. */
export const authentication = (login: Login, out: Outgoing, certificate?: X509Certificate) => {
  const { user, password, passfileFault, channelBinding } = login
  const digest = channelBinding === 'disable' ? undefined : digestOf(certificate)
  let scram: Scram | undefined
  let offered: readonly string[] = []

  return async (bytes: Buffer): Promise<void> => {
    const kind = bytes.readInt32BE(0)
    const rest = bytes.subarray(4)
    if (kind === kinds.sasl) offered = rest.toString('latin1').split('\0')
    const isBound = digest !== undefined && offered.includes(boundMechanism)
    if (channelBinding === 'require' && !isBound) throw new Error(unbound)
    if (kind === kinds.ok) {
      // A server that ends the exchange early has not proved that it knows the password.
      if (scram && !scram.isProven()) throw new Error(unproven)
      return
    }
    // The server would report an empty password as a wrong one.
    if (asksForPassword.has(kind) && password === '')
      throw new Error(noPassword + (passfileFault ? `: ${passfileFault}` : ''))
    if (kind === kinds.clearText) return out.password(password)
    if (kind === kinds.md5) return out.password(md5Answer({ user, password }, rest))
    if (kind === kinds.sasl && (isBound || offered.includes(mechanism))) {
      const header = isBound ? 'p=tls-server-end-point,,' : digest ? 'y,,' : 'n,,'
      scram = scramOf(password, header, isBound ? digest : none)
      return out.saslFirst(isBound ? boundMechanism : mechanism, scram.first)
    }
    if (kind === kinds.saslContinue && scram) return out.saslNext(await scram.next(rest.toString()))
    if (kind === kinds.saslFinal && scram) return scram.finish(rest.toString())
    throw new Error('the server asks for an unknown method of authentication')
  }
}

const kinds = { ok: 0, clearText: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 }
const asksForPassword = new Set([kinds.clearText, kinds.md5, kinds.sasl])
const noPassword =
  'the server asks for a password, and none is given, neither in the URL nor in PGPASSWORD nor in a password file'
const mechanism = 'SCRAM-SHA-256'
const boundMechanism = 'SCRAM-SHA-256-PLUS'
const none = Buffer.alloc(0)
const unbound = 'the server offers no SCRAM-SHA-256-PLUS over TLS, which channel_binding=require asks for'
const unproven = 'the server did not prove that it knows the password'

const md5Answer = ({ user, password }: Pick<Login, 'user' | 'password'>, salt: Buffer) => {
  const digest = (...parts: (string | Buffer)[]) => {
    const hash = createHash('md5')
    for (const part of parts) hash.update(part)
    return hash.digest('hex')
  }
  return `md5${digest(digest(password, user), salt)}`
}

/** Hashes a certificate by its signature's hash, or by SHA-256 instead of MD5 and SHA-1 (RFC 5929). Some signatures have no hash. */
const digestOf = (certificate: X509Certificate | undefined) => {
  const [name] = /(md|sha)\d+(?=with|$)/i.exec(certificate?.signatureAlgorithm ?? '') ?? []
  if (!certificate || !name) return undefined
  return createHash(/md5|sha1$/i.test(name) ? 'sha256' : name)
    .update(certificate.raw)
    .digest()
}

type Scram = ReturnType<typeof scramOf>

const derive = promisify(pbkdf2)

/** Without this limit, a server could keep a thread busy for ever. */
const maxIterations = 10_000_000

/**
 * Both sides prove that they know the password without sending it (RFC 5802, RFC 7677). The header says whether the proof is
 * bound to the TLS connection, or that we would bind it if the server offered to, so a man in the middle cannot hide the offer.
 */
const scramOf = (password: string, header: string, bound: Buffer) => {
  const nonce = randomBytes(18).toString('base64')
  const firstBare = `n=*,r=${nonce}`
  let expected: Buffer | undefined
  let isProven = false

  return {
    first: `${header}${firstBare}`,
    isProven: () => isProven,

    async next(serverFirst: string): Promise<string> {
      const { r = '', s = '', i = '' } = attributes(serverFirst)
      const iterations = Number(i)
      if (
        !r.startsWith(nonce) ||
        r.length === nonce.length ||
        !(iterations > 0 && iterations <= maxIterations)
      )
        throw new Error('the server answered a different request')
      const salted = await derive(saslprep(password), Buffer.from(s, 'base64'), iterations, 32, 'sha256')
      const clientKey = hmac(salted, 'Client Key')
      const final = `c=${Buffer.concat([Buffer.from(header), bound]).toString('base64')},r=${r}`
      const authMessage = `${firstBare},${serverFirst},${final}`
      const signature = hmac(createHash('sha256').update(clientKey).digest(), authMessage)
      expected = hmac(hmac(salted, 'Server Key'), authMessage)
      const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)))
      return `${final},p=${proof.toString('base64')}`
    },

    finish(serverFinal: string) {
      const signature = Buffer.from(attributes(serverFinal).v ?? '', 'base64')
      if (!expected || signature.length !== expected.length || !timingSafeEqual(signature, expected))
        throw new Error(unproven)
      isProven = true
    },
  }
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

const attributes = (message: string): Readonly<Record<string, string>> =>
  Object.fromEntries(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]))
