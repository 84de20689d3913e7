import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Question } from './password.thread.ts'
import {
  type HashCosts,
  noPassword,
  prefixOf,
  type Recipe,
  readHash,
  recommendedCosts,
  writeHash,
} from './password-hash.ts'
import { overloaded } from './problem.ts'
import { slots } from './slots.ts'

export interface PasswordHasher {
  /** A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
  hash(password: string): Promise<string>
  /** The hash may be another program's. With none, it takes just as long. */
  verify(hash: string, password: string): Promise<boolean>
  /** Takes as long as a failing check: for a sign id that nobody has. */
  burn(password: string): Promise<void>
  /** Whether checking it takes as long as `burn`. Any other is made anew as soon as its password is known. */
  hasOwnCosts(hash: string): boolean
  /** How many computations are waiting for their turn. */
  readonly waiting: number
}

interface PasswordHasherSettings {
  readonly costs?: HashCosts | undefined
  /** How many hashes are computed at once. Each takes a thread of its own and 19 MiB. */
  readonly concurrency?: number
  /** How many may wait; the next is refused as overload. */
  readonly queueLimit?: number
}

const saltBytes = 16
const tagBytes = 32

export const passwordHasher = ({
  costs = recommendedCosts,
  concurrency = Math.min(3, Math.max(1, availableParallelism() - 1)),
  queueLimit = 64,
}: PasswordHasherSettings = {}): PasswordHasher => {
  const places = slots({ places: concurrency, maxWaiting: queueLimit, refusal: () => overloaded() })
  const compute = (password: string, recipe: Recipe) => places.use(() => tagOf(password, recipe))

  const verify = async (hash: string, password: string) => {
    if (hash === noPassword) {
      await compute(password, nobody)
      return false
    }
    const known = readHash(hash)
    if (!known) throw new Error('the stored password hash is not one that can be checked')
    const tag = await compute(password, known.recipe)
    return tag.length === known.tag.length && timingSafeEqual(tag, known.tag)
  }
  const ownRecipe = () => ({ kind: 'argon2id', ...costs, salt: randomBytes(saltBytes), tagBytes }) as const
  const nobody = ownRecipe()

  return {
    async hash(password) {
      const recipe = ownRecipe()
      return writeHash(recipe, await compute(password, recipe))
    },
    verify,
    async burn(password) {
      await compute(password, nobody)
    },
    hasOwnCosts: (hash) => hash.startsWith(prefixOf(costs)),
    get waiting() {
      return places.waiting()
    },
  }
}

const program = new URL('./password.thread.ts', import.meta.url)

/** Threads that each compute one tag at a time. They keep no state, so all hashers share them. */
const idle: Worker[] = []

/** The tag of a password, computed without occupying one of the four threads that files and compression use. */
export const tagOf = async (password: string, recipe: Recipe): Promise<Buffer> => {
  const thread = idle.pop() ?? new Worker(program, { execArgv: [] })
  // A thread that nobody waits for does not keep the process alive.
  thread.ref()
  // The password is normalised (NFC): keyboards differ in how they type the same é.
  thread.postMessage({ password: password.normalize('NFC'), recipe } satisfies Question)
  const [tag] = (await once(thread, 'message')) as [Uint8Array]
  thread.unref()
  idle.push(thread)
  return Buffer.from(tag)
}
