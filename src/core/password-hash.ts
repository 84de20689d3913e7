/** Everything that a hash's tag is computed from, except the password. */
export type Recipe = Argon2 | Pbkdf2 | Scrypt | Bcrypt

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
  readonly blocks: number
  readonly parallelism: number
}

/** The tag of a bcrypt hash is its whole text. */
interface Bcrypt {
  readonly kind: 'bcrypt'
  /** The beginning of the text, with cost and salt. */
  readonly begin: string
}

interface Salted {
  readonly salt: Buffer
  readonly tagBytes: number
}

interface PasswordHash {
  readonly recipe: Recipe
  readonly tag: Buffer
}

/** The costs of a new hash. A stored hash is checked at the costs that it names. */
export interface HashCosts {
  readonly memoryKiB: number
  readonly passes: number
  readonly parallelism: number
}

/** The minimum that OWASP recommends: 19 MiB, two passes, one lane. */
export const recommendedCosts: HashCosts = { memoryKiB: 19_456, passes: 2, parallelism: 1 }

/** Reads our hash or another program's, if checking it takes at most 256 MiB and about a second. */
export const readHash = (text: string): PasswordHash | undefined =>
  readArgon2(text) ?? readPbkdf2(text) ?? readScrypt(text) ?? readBcrypt(text)

/** Stored in place of a hash if there is no password: every password is wrong. */
export const noPassword = ''

/** Whether the service can check the hash. */
export const isHash = (text: string): boolean => readHash(text) !== undefined

/** The limit of memory times passes for imported argon2id hashes, because other checks wait meanwhile. */
export const maxImportedCost = 2 * recommendedCosts.memoryKiB * recommendedCosts.passes

export const mayBeImported = (text: string): boolean => {
  const recipe = readHash(text)?.recipe
  return (
    recipe !== undefined &&
    (recipe.kind !== 'argon2id' || recipe.memoryKiB * recipe.passes <= maxImportedCost)
  )
}

/** A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
export const writeHash = (recipe: HashCosts & Pick<Salted, 'salt'>, tag: Buffer) =>
  `${prefixOf(recipe)}${unpadded(recipe.salt)}$${unpadded(tag)}`

/** The beginning of every hash with these costs. */
export const prefixOf = ({ memoryKiB, passes, parallelism }: HashCosts) =>
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$`

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

const maxCosts = { memoryKiB: 262_144, passes: 10, parallelism: 16, memoryTimesPasses: 786_432 }
const argon2Shape =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

const readArgon2 = (text: string): PasswordHash | undefined => {
  const [, memory, given, lanes, salt, tag] = argon2Shape.exec(text) ?? []
  const [memoryKiB, passes, parallelism] = [Number(memory), Number(given), Number(lanes)]
  const isAffordable =
    memoryKiB >= 8 * parallelism &&
    memoryKiB <= maxCosts.memoryKiB &&
    passes <= maxCosts.passes &&
    parallelism <= maxCosts.parallelism &&
    memoryKiB * passes <= maxCosts.memoryTimesPasses
  if (!isAffordable) return undefined
  const hash = salted(salt, tag, { kind: 'argon2id', memoryKiB, passes, parallelism })
  return hash.recipe.kind === 'argon2id' && writeHash(hash.recipe, hash.tag) === text ? hash : undefined
}

/** The forms of passlib and of PHC: `$pbkdf2-sha256$29000$salt$hash` and `$pbkdf2-sha256$i=600000,l=32$salt$hash`. */
const pbkdf2Shape =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?([1-9]\d{2,6})(?:,l=\d{2})?\$([A-Za-z0-9+/.]{11,86})={0,2}\$([A-Za-z0-9+/.]{22,86})={0,2}$/
const maxIterations = 1_500_000

const readPbkdf2 = (text: string): PasswordHash | undefined => {
  const [, digest = 'sha1', iterations, salt, tag] = pbkdf2Shape.exec(text) ?? []
  if (iterations === undefined || Number(iterations) > maxIterations) return undefined
  return salted(salt, tag, { kind: 'pbkdf2', digest, iterations: Number(iterations) })
}

const scryptShape =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/.]{11,86})={0,2}\$([A-Za-z0-9+/.]{22,86})={0,2}$/
const maxScryptBytes = 128 * 1024 ** 2

const readScrypt = (text: string): PasswordHash | undefined => {
  const [, bits, r, lanes, salt, tag] = scryptShape.exec(text) ?? []
  const [costBits, blocks, parallelism] = [Number(bits), Number(r), Number(lanes)]
  if (!(128 * 2 ** costBits * blocks * parallelism <= maxScryptBytes)) return undefined
  return salted(salt, tag, { kind: 'scrypt', costBits, blocks, parallelism })
}

const bcryptShape = /^(\$2[aby]\$(0[4-9]|1[0-2])\$[A-Za-z0-9./]{22})[A-Za-z0-9./]{31}$/

const readBcrypt = (text: string): PasswordHash | undefined => {
  const [, begin] = bcryptShape.exec(text) ?? []
  return begin === undefined ? undefined : { recipe: { kind: 'bcrypt', begin }, tag: Buffer.from(text) }
}

type Unsalted<R> = R extends Salted ? Omit<R, keyof Salted> : never

/** Passlib writes a dot instead of a plus. */
const salted = (salt = '', tag = '', recipe: Unsalted<Recipe>): PasswordHash => {
  const read = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64')
  const tagBytes = read(tag)
  return { recipe: { ...recipe, salt: read(salt), tagBytes: tagBytes.length } as Recipe, tag: tagBytes }
}
