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

/** Returns a function that answers the server's authentication requests. */
export const authentication = (login: Login, outgoing: Outgoing, certificate?: X509Certificate) => {
  const { user, password, passfileFault, channelBinding } = login
  const certificateDigest = channelBinding === 'disable' ? undefined : certificateDigestOf(certificate)
  let scram: Scram | undefined
  let offeredMechanisms: readonly string[] = []

  return async (bytes: Buffer): Promise<void> => {
    const method = bytes.readInt32BE(0)
    const rest = bytes.subarray(4)
    if (method === methods.sasl) offeredMechanisms = rest.toString('latin1').split('\0')
    const isBound = certificateDigest !== undefined && offeredMechanisms.includes(boundMechanism)
    if (channelBinding === 'require' && !isBound) throw new Error(unbound)
    if (method === methods.ok) {
      // If the server ends the exchange early, it has not proved that it knows the password.
      if (scram && !scram.isProven()) throw new Error(unproven)
      return
    }
    // The server would report an empty password as a wrong password.
    if (passwordMethods.has(method) && password === '')
      throw new Error(noPassword + (passfileFault ? `: ${passfileFault}` : ''))
    if (method === methods.clearText) return outgoing.password(password)
    if (method === methods.md5) return outgoing.password(md5Answer({ user, password }, rest))
    if (method === methods.sasl && (isBound || offeredMechanisms.includes(plainMechanism))) {
      const header = isBound ? 'p=tls-server-end-point,,' : certificateDigest ? 'y,,' : 'n,,'
      scram = scramExchange(password, header, isBound ? certificateDigest : noBinding)
      return outgoing.saslInitialResponse(isBound ? boundMechanism : plainMechanism, scram.first)
    }
    if (method === methods.saslContinue && scram)
      return outgoing.saslResponse(await scram.respond(rest.toString()))
    if (method === methods.saslFinal && scram) return scram.verifyServer(rest.toString())
    throw new Error('the server asks for an unknown method of authentication')
  }
}

const methods = { ok: 0, clearText: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 }
const passwordMethods = new Set([methods.clearText, methods.md5, methods.sasl])
const noPassword =
  'the server asks for a password, and none is given, neither in the URL nor in PGPASSWORD nor in a password file'
const plainMechanism = 'SCRAM-SHA-256'
const boundMechanism = 'SCRAM-SHA-256-PLUS'
const noBinding = Buffer.alloc(0)
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

/** Hashes a certificate by the hash function of its signature, or by SHA-256 if that is MD5 or SHA-1 (RFC 5929). Some signatures have no hash function. */
const certificateDigestOf = (certificate: X509Certificate | undefined) => {
  const [name] = /(md|sha)\d+(?=with|$)/i.exec(certificate?.signatureAlgorithm ?? '') ?? []
  if (!certificate || !name) return undefined
  return createHash(/md5|sha1$/i.test(name) ? 'sha256' : name)
    .update(certificate.raw)
    .digest()
}

type Scram = ReturnType<typeof scramExchange>

const derive = promisify(pbkdf2)

/** Without this limit, a server could make a thread compute for ever. */
const maxIterations = 10_000_000

/**
 * Both sides prove that they know the password without sending it (RFC 5802, RFC 7677). The header says whether the proof is
 * bound to the TLS connection. If the server does not offer the binding, the header says whether we support it, so a man in the
 * middle cannot hide the server's offer.
 */
const scramExchange = (password: string, header: string, bindingData: Buffer) => {
  const nonce = randomBytes(18).toString('base64')
  const firstBare = `n=*,r=${nonce}`
  let expectedSignature: Buffer | undefined
  let isProven = false

  return {
    first: `${header}${firstBare}`,
    isProven: () => isProven,

    async respond(serverFirst: string): Promise<string> {
      const { r = '', s = '', i = '' } = attributesOf(serverFirst)
      const iterations = Number(i)
      if (
        !r.startsWith(nonce) ||
        r.length === nonce.length ||
        !(iterations > 0 && iterations <= maxIterations)
      )
        throw new Error('the server answered a different request')
      const salted = await derive(saslprep(password), Buffer.from(s, 'base64'), iterations, 32, 'sha256')
      const clientKey = hmac(salted, 'Client Key')
      const final = `c=${Buffer.concat([Buffer.from(header), bindingData]).toString('base64')},r=${r}`
      const authMessage = `${firstBare},${serverFirst},${final}`
      const signature = hmac(createHash('sha256').update(clientKey).digest(), authMessage)
      expectedSignature = hmac(hmac(salted, 'Server Key'), authMessage)
      const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)))
      return `${final},p=${proof.toString('base64')}`
    },

    verifyServer(serverFinal: string) {
      const signature = Buffer.from(attributesOf(serverFinal).v ?? '', 'base64')
      if (
        !expectedSignature ||
        signature.length !== expectedSignature.length ||
        !timingSafeEqual(signature, expectedSignature)
      )
        throw new Error(unproven)
      isProven = true
    },
  }
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

const attributesOf = (message: string): Readonly<Record<string, string>> =>
  Object.fromEntries(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]))
