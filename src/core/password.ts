import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once as nextEvent } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { TagRequest } from './password.thread.ts'
import {
  type HashCosts,
  type HashParameters,
  hashPrefixOf,
  noPassword,
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
  /** The number of hashes computed at once. Each needs a thread and 19 MiB. */
  readonly concurrency?: number
  /** The number of computations that may wait. Further ones are refused as overload. */
  readonly queueLimit?: number
}

const saltBytes = 16
const tagBytes = 32

export const passwordHasher = ({
  costs = recommendedCosts,
  concurrency = Math.min(3, Math.max(1, availableParallelism() - 1)),
  queueLimit = 64,
}: PasswordHasherSettings = {}) => {
  const workSlots = slots({ places: concurrency, maxWaiting: queueLimit, refusal: overloaded })
  const compute = (password: string, params: HashParameters) => workSlots.use(() => tagOf(password, params))

  /** Also checks hashes of other programs. For a member without a password, the check takes just as long and fails. */
  const verify = async (hash: string, password: string) => {
    if (hash === noPassword) {
      await compute(password, dummyParameters)
      return false
    }
    const known = readHash(hash)
    if (!known) throw new Error('the stored password hash is not one that can be checked')
    const tag = await compute(password, known.params)
    return tag.length === known.tag.length && timingSafeEqual(tag, known.tag)
  }
  const newParameters = () =>
    ({ kind: 'argon2id', ...costs, salt: randomBytes(saltBytes), tagBytes }) as const
  const dummyParameters = newParameters()

  return {
    /** A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
    async hash(password: string) {
      const params = newParameters()
      return writeHash(params, await compute(password, params))
    },
    verify,

    /** Takes as long as a failing `verify`, so that callers cannot tell an unknown sign id from a wrong password. */
    async simulateVerify(password: string) {
      await compute(password, dummyParameters)
    },

    /** True if the hash has the costs of new hashes. Other hashes are replaced when their members sign in. */
    hasCurrentCosts: (hash: string) => hash.startsWith(hashPrefixOf(costs)),

    get waiting() {
      return workSlots.waiting()
    },
  }
}

const program = threadProgram(new URL('./password.thread.ts', import.meta.url))

/** Each thread computes one tag at a time and keeps no state, so all hashers share the threads. */
const idleThreads: Worker[] = []

/** Computes a tag without occupying one of the four threads that files and compression use. */
export const tagOf = async (password: string, params: HashParameters): Promise<Buffer> => {
  const thread = idleThreads.pop() ?? new Worker(program, { execArgv: [] })
  // Only a busy thread keeps the process alive.
  thread.ref()
  // Normalised to NFC, because keyboards differ in how they type the same é.
  thread.postMessage({ password: password.normalize('NFC'), params } satisfies TagRequest)
  const [tag] = (await nextEvent(thread, 'message')) as [Uint8Array]
  thread.unref()
  idleThreads.push(thread)
  return Buffer.from(tag)
}
