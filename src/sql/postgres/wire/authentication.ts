import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Address } from './address.ts'
import type { Outgoing } from './outgoing.ts'
import { saslprep } from './saslprep.ts'

type Login = Pick<Address, 'user' | 'password' | 'passfileFault'>

/** Answers the server's authentication requests. */
export const authentication = ({ user, password, passfileFault }: Login, out: Outgoing) => {
  let scram: Scram | undefined

  return async (bytes: Buffer): Promise<void> => {
    const kind = bytes.readInt32BE(0)
    const rest = bytes.subarray(4)
    if (kind === kinds.ok) {
      // A server that ends the exchange early has not proved that it knows the password.
      if (scram && !scram.isProven()) throw new Error(unproven)
      return
    }
    // The server takes an empty password for a wrong one.
    if (asksForPassword.has(kind) && password === '')
      throw new Error(noPassword + (passfileFault ? `: ${passfileFault}` : ''))
    if (kind === kinds.clearText) return out.password(password)
    if (kind === kinds.md5) return out.password(md5Answer({ user, password }, rest))
    if (kind === kinds.sasl) {
      if (!rest.toString('latin1').split('\0').includes(mechanism))
        throw new Error('the server asks for an authentication that is not known here')
      scram = scramOf(password)
      return out.saslFirst(mechanism, scram.first)
    }
    if (kind === kinds.saslContinue && scram) return out.saslNext(await scram.next(rest.toString()))
    if (kind === kinds.saslFinal && scram) return scram.finish(rest.toString())
    throw new Error('the server asks for an authentication that is not known here')
  }
}

const kinds = { ok: 0, clearText: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 }
const asksForPassword = new Set([kinds.clearText, kinds.md5, kinds.sasl])
const noPassword =
  'the server asks for a password, and none is given, neither in the URL nor in PGPASSWORD nor in a password file'
const mechanism = 'SCRAM-SHA-256'
const unproven = 'the server did not prove that it knows the password'

const md5Answer = ({ user, password }: Pick<Login, 'user' | 'password'>, salt: Buffer) => {
  const digest = (...parts: (string | Buffer)[]) => {
    const hash = createHash('md5')
    for (const part of parts) hash.update(part)
    return hash.digest('hex')
  }
  return `md5${digest(digest(password, user), salt)}`
}

type Scram = ReturnType<typeof scramOf>

const derive = promisify(pbkdf2)

/** Without a limit, a server could keep a thread busy for as long as it likes. */
const maxIterations = 10_000_000

/** Both sides prove that they know the password without sending it (RFC 5802, RFC 7677). */
const scramOf = (password: string) => {
  const nonce = randomBytes(18).toString('base64')
  const firstBare = `n=*,r=${nonce}`
  let expected: Buffer | undefined
  let isProven = false

  return {
    first: `n,,${firstBare}`,
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
      const final = `c=biws,r=${r}`
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
