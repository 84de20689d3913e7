/** The part of a hash that says how its tag was computed from the password: the kind, the salt and the costs. */
export type HashParameters = Argon2 | Pbkdf2 | Scrypt | Bcrypt

interface Argon2 extends Salted, HashCosts {
  readonly kind: 'argon2id'
}

interface Pbkdf2 extends Salted {
  readonly kind: 'pbkdf2'
  readonly digest: string
  readonly iterations: number
}

interface Scrypt extends Salted {
  readonly kind: 'scrypt'
  readonly costBits: number
  readonly blockSize: number
  readonly parallelism: number
}

/** The tag of a bcrypt hash is its whole text. */
interface Bcrypt {
  readonly kind: 'bcrypt'
  /** The beginning of the text, with cost and salt. */
  readonly prefix: string
}

interface Salted {
  readonly salt: Buffer
  readonly tagBytes: number
}

interface PasswordHash {
  readonly params: HashParameters
  readonly tag: Buffer
}

/** The costs of a new hash. A password is checked against a stored hash at the costs that the hash names. */
export interface HashCosts {
  readonly memoryKiB: number
  readonly passes: number
  readonly parallelism: number
}

/** The minimum that OWASP recommends: 19 MiB, two passes, one lane. */
export const recommendedCosts: HashCosts = { memoryKiB: 19_456, passes: 2, parallelism: 1 }

/** Reads a hash of this service or of another program. Undefined if a check would take more than 256 MiB or much more than a second. */
export const readHash = (text: string): PasswordHash | undefined =>
  readArgon2(text) ?? readPbkdf2(text) ?? readScrypt(text) ?? readBcrypt(text)

/** Stored instead of a hash for a member without a password. No password matches it. */
export const noPassword = ''

/** True if the service can check the hash. */
export const isHash = (text: string): boolean => readHash(text) !== undefined

/** The maximum of memory times passes in an imported argon2id hash, because other checks wait while it is checked. */
export const maxImportedCost = 2 * recommendedCosts.memoryKiB * recommendedCosts.passes

export const canBeImported = (text: string): boolean => {
  const params = readHash(text)?.params
  if (params?.kind !== 'argon2id') return params !== undefined
  return params.memoryKiB * params.passes <= maxImportedCost
}

/** A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
export const writeHash = (params: HashCosts & Pick<Salted, 'salt'>, tag: Buffer) =>
  `${hashPrefixOf(params)}${toUnpaddedBase64(params.salt)}$${toUnpaddedBase64(tag)}`

/** The beginning of every hash with these costs. */
export const hashPrefixOf = ({ memoryKiB, passes, parallelism }: HashCosts) =>
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$`

const toUnpaddedBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

const maxCosts = { memoryKiB: 262_144, passes: 10, parallelism: 16, memoryTimesPasses: 786_432 }
const argon2Shape =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

const readArgon2 = (text: string): PasswordHash | undefined => {
  const [, m, t, p, salt, tag] = argon2Shape.exec(text) ?? []
  const [memoryKiB, passes, parallelism] = [Number(m), Number(t), Number(p)]
  const isAffordable =
    memoryKiB >= 8 * parallelism &&
    memoryKiB <= maxCosts.memoryKiB &&
    passes <= maxCosts.passes &&
    parallelism <= maxCosts.parallelism &&
    memoryKiB * passes <= maxCosts.memoryTimesPasses
  if (!isAffordable) return undefined
  const hash = withSaltAndTag(salt, tag, { kind: 'argon2id', memoryKiB, passes, parallelism })
  return hash.params.kind === 'argon2id' && writeHash(hash.params, hash.tag) === text ? hash : undefined
}

/** The forms of passlib and of PHC: `$pbkdf2-sha256$29000$salt$hash` and `$pbkdf2-sha256$i=600000,l=32$salt$hash`. */
const pbkdf2Shape =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?([1-9]\d{2,6})(?:,l=\d{2})?\$([A-Za-z0-9+/.]{11,86})={0,2}\$([A-Za-z0-9+/.]{22,86})={0,2}$/
const maxIterations = 1_500_000

const readPbkdf2 = (text: string): PasswordHash | undefined => {
  const [, digest = 'sha1', iterations, salt, tag] = pbkdf2Shape.exec(text) ?? []
  if (iterations === undefined || Number(iterations) > maxIterations) return undefined
  return withSaltAndTag(salt, tag, { kind: 'pbkdf2', digest, iterations: Number(iterations) })
}

const scryptShape =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/.]{11,86})={0,2}\$([A-Za-z0-9+/.]{22,86})={0,2}$/
const maxScryptBytes = 128 * 1024 ** 2

const readScrypt = (text: string): PasswordHash | undefined => {
  const [, ln, r, p, salt, tag] = scryptShape.exec(text) ?? []
  const [costBits, blockSize, parallelism] = [Number(ln), Number(r), Number(p)]
  if (!(128 * 2 ** costBits * blockSize * parallelism <= maxScryptBytes)) return undefined
  return withSaltAndTag(salt, tag, { kind: 'scrypt', costBits, blockSize, parallelism })
}

const bcryptShape = /^(\$2[aby]\$(0[4-9]|1[0-2])\$[A-Za-z0-9./]{22})[A-Za-z0-9./]{31}$/

const readBcrypt = (text: string): PasswordHash | undefined => {
  const [, prefix] = bcryptShape.exec(text) ?? []
  return prefix === undefined ? undefined : { params: { kind: 'bcrypt', prefix }, tag: Buffer.from(text) }
}

type Unsalted<P> = P extends Salted ? Omit<P, keyof Salted> : never

/** Accepts a dot instead of a plus in Base64, as passlib writes it. */
const withSaltAndTag = (salt = '', tag = '', params: Unsalted<HashParameters>): PasswordHash => {
  const read = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64')
  const tagBytes = read(tag)
  return {
    params: { ...params, salt: read(salt), tagBytes: tagBytes.length } as HashParameters,
    tag: tagBytes,
  }
}
