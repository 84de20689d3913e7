import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once as nextEvent } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { TagRequest } from './password.thread.ts'
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
import { threadProgram } from './thread-program.ts'

export type PasswordHasher = ReturnType<typeof passwordHasher>

interface PasswordHasherSettings {
  readonly costs?: HashCosts | undefined
  /** The number of hashes computed at once. Each takes a thread and 19 MiB. */
  readonly concurrency?: number
  /** How many computations may wait. The next one is refused as overload. */
  readonly queueLimit?: number
}

const saltBytes = 16
const tagBytes = 32

export const passwordHasher = ({
  costs = recommendedCosts,
  concurrency = Math.min(3, Math.max(1, availableParallelism() - 1)),
  queueLimit = 64,
}: PasswordHasherSettings = {}) => {
  const places = slots({ places: concurrency, maxWaiting: queueLimit, refusal: () => overloaded() })
  const compute = (password: string, recipe: Recipe) => places.use(() => tagOf(password, recipe))

  /** Also checks hashes of other programs. Without a hash it takes just as long. */
  const verify = async (hash: string, password: string) => {
    if (hash === noPassword) {
      await compute(password, dummyRecipe)
      return false
    }
    const known = readHash(hash)
    if (!known) throw new Error('the stored password hash is not one that can be checked')
    const tag = await compute(password, known.recipe)
    return tag.length === known.tag.length && timingSafeEqual(tag, known.tag)
  }
  const ownRecipe = () => ({ kind: 'argon2id', ...costs, salt: randomBytes(saltBytes), tagBytes }) as const
  const dummyRecipe = ownRecipe()

  return {
    /** A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
    async hash(password: string) {
      const recipe = ownRecipe()
      return writeHash(recipe, await compute(password, recipe))
    },
    verify,

    /** Takes as long as a failing check. Call it for an unknown sign id. */
    async burn(password: string) {
      await compute(password, dummyRecipe)
    },

    /** Whether checking the hash takes as long as `burn`. Any other hash is replaced as soon as its password is known. */
    hasOwnCosts: (hash: string) => hash.startsWith(prefixOf(costs)),

    get waiting() {
      return places.waiting()
    },
  }
}

const program = threadProgram(new URL('./password.thread.ts', import.meta.url))

/** Idle threads. Each computes one tag at a time and keeps no state, so all hashers share them. */
const idle: Worker[] = []

/** Computes a tag without occupying one of the four threads that files and compression use. */
export const tagOf = async (password: string, recipe: Recipe): Promise<Buffer> => {
  const thread = idle.pop() ?? new Worker(program, { execArgv: [] })
  // Only a busy thread keeps the process alive.
  thread.ref()
  // Normalised to NFC, because keyboards differ in how they type the same é.
  thread.postMessage({ password: password.normalize('NFC'), recipe } satisfies TagRequest)
  const [tag] = (await nextEvent(thread, 'message')) as [Uint8Array]
  thread.unref()
  idle.push(thread)
  return Buffer.from(tag)
}
