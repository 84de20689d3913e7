import { type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { overloaded } from './problem.ts'

export interface PasswordHasher {
  /** A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
  hash(password: string): Promise<string>
  verify(phc: string, password: string): Promise<boolean>
  /** Takes as long as a failing check: for a sign id that nobody has. */
  burn(password: string): Promise<void>
  /** Whether checking it takes as long as `burn`. */
  hasOwnCosts(phc: string): boolean
  /** How many computations are waiting for their turn. */
  readonly waiting: number
}

/** What a new hash costs. A stored one is checked at the costs that it names. */
export interface HashCosts {
  readonly memoryKiB: number
  readonly passes: number
  readonly parallelism: number
}

interface PasswordHasherSettings {
  readonly costs?: HashCosts | undefined
  /** How many hashes are computed at once. Each takes a thread of its own and 19 MiB. */
  readonly concurrency?: number
  /** How many may wait; the next is refused as overload. */
  readonly queueLimit?: number
}

/** The minimum that OWASP recommends: 19 MiB, two passes, one lane. */
export const recommendedCosts: HashCosts = { memoryKiB: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

export const passwordHasher = ({
  costs = recommendedCosts,
  concurrency = Math.min(3, Math.max(1, availableParallelism() - 1)),
  queueLimit = 64,
}: PasswordHasherSettings = {}): PasswordHasher => {
  const lanes = boundedLanes(concurrency, queueLimit)
  const compute = (password: string, recipe: Recipe) => lanes.run(() => tagOf(password, recipe))

  const verify = async (phc: string, password: string) => {
    const parts = readPhc(phc)
    if (!parts) throw new Error('the stored password hash is not one that can be checked')
    return timingSafeEqual(await compute(password, { ...parts, tagBytes: parts.tag.length }), parts.tag)
  }
  const nobody = writePhc({ costs, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) })

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes)
      return writePhc({ costs, salt, tag: await compute(password, { costs, salt, tagBytes }) })
    },
    verify,
    async burn(password) {
      await verify(nobody, password)
    },
    hasOwnCosts: (phc) => phc.startsWith(prefixOf(costs)),
    get waiting() {
      return lanes.waiting
    },
  }
}

/** Whether it is an argon2id hash that can be checked within 256 MiB and about a second. */
export const isPhc = (text: string): boolean => readPhc(text) !== undefined

/** The limit of memory times passes for imported hashes: while one is checked, all others wait. */
export const maxImportedCost = 2 * recommendedCosts.memoryKiB * recommendedCosts.passes

export const mayBeImported = (phc: string): boolean => {
  const costs = readPhc(phc)?.costs
  return costs !== undefined && costs.memoryKiB * costs.passes <= maxImportedCost
}

interface Phc {
  readonly costs: HashCosts
  readonly salt: Buffer
  readonly tag: Buffer
}

/** Everything a tag is made from, except the password. */
interface Recipe {
  readonly costs: HashCosts
  readonly salt: Buffer
  readonly tagBytes: number
}

const maxCosts = { memoryKiB: 262_144, passes: 10, parallelism: 16, memoryTimesPasses: 786_432 }
const shape =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

const readPhc = (text: string): Phc | undefined => {
  const [, memory, passes, parallelism, salt = '', tag = ''] = shape.exec(text) ?? []
  const costs = { memoryKiB: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const phc = { costs, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') }
  return isAffordable(costs) && writePhc(phc) === text ? phc : undefined
}

const isAffordable = ({ memoryKiB, passes, parallelism }: HashCosts) =>
  memoryKiB >= 8 * parallelism &&
  memoryKiB <= maxCosts.memoryKiB &&
  passes <= maxCosts.passes &&
  parallelism <= maxCosts.parallelism &&
  memoryKiB * passes <= maxCosts.memoryTimesPasses

const writePhc = ({ costs, salt, tag }: Phc) => `${prefixOf(costs)}${unpadded(salt)}$${unpadded(tag)}`

const prefixOf = ({ memoryKiB, passes, parallelism }: HashCosts) =>
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$`

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** The password is normalised (NFC) first: keyboards differ in how they type the same é. */
const tagOf = (password: string, { costs, salt, tagBytes }: Recipe) =>
  argon2id({
    message: password.normalize('NFC'),
    nonce: salt,
    memory: costs.memoryKiB,
    passes: costs.passes,
    parallelism: costs.parallelism,
    tagLength: tagBytes,
  })

const boundedLanes = (count: number, queueLimit: number) => {
  const queue: (() => void)[] = []
  let running = 0

  const enter = async () => {
    if (running < count) running++
    else if (queue.length < queueLimit) await new Promise<void>((resolve) => queue.push(resolve))
    else throw overloaded()
  }
  const leave = () => {
    const next = queue.shift()
    if (next) next()
    else running--
  }
  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      await enter()
      return work().finally(leave)
    },
    get waiting() {
      return queue.length
    },
  }
}

const program = new URL('./argon2.thread.ts', import.meta.url)

/** Threads that each compute one hash at a time. They keep no state, so all hashers share them. */
const idle: Worker[] = []

/** As in `node:crypto`, without occupying one of the four threads that files and compression use. */
export const argon2id = async (parameters: Argon2Parameters): Promise<Buffer> => {
  const thread = idle.pop() ?? new Worker(program, { execArgv: [] })
  // A thread that nobody waits for does not keep the process alive.
  thread.ref()
  thread.postMessage(parameters)
  const [tag] = (await once(thread, 'message')) as [Uint8Array]
  thread.unref()
  idle.push(thread)
  return Buffer.from(tag)
}
