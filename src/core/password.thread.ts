/** A thread that computes the tag of each password in its messages. */
import { argon2Sync, pbkdf2Sync, scryptSync } from 'node:crypto'
import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { HashParameters } from './password-hash.ts'

export interface TagRequest {
  readonly password: string
  readonly params: HashParameters
}

/** Hashing takes long, so it yields to requests: with this niceness it gets a tenth of a core if requests need the same core. */
const addedNiceness = 10

/** Only on Linux does a priority apply to one thread; elsewhere it applies to the whole process. */
const lowerPriority = () => {
  if (platform() !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + addedNiceness))
  } catch {
    // A system call filter (seccomp) forbids the change, so hashing and requests share the core equally.
  }
}

const tagOf = async ({ password, params }: TagRequest): Promise<Uint8Array> => {
  switch (params.kind) {
    case 'argon2id':
      return argon2Sync('argon2id', {
        message: password,
        nonce: params.salt,
        memory: params.memoryKiB,
        passes: params.passes,
        parallelism: params.parallelism,
        tagLength: params.tagBytes,
      })
    case 'pbkdf2':
      return pbkdf2Sync(password, params.salt, params.iterations, params.tagBytes, params.digest)
    case 'scrypt': {
      const { costBits, blockSize, parallelism: parallelization } = params
      const cost = 2 ** costBits
      const maxmem = 256 * 1024 ** 2
      return scryptSync(password, params.salt, params.tagBytes, { cost, blockSize, parallelization, maxmem })
    }
    case 'bcrypt': {
      // Loaded on first use, because most services never see such a hash.
      const { hashSync } = await import('bcryptjs')
      return Buffer.from(hashSync(password, params.prefix))
    }
  }
}

lowerPriority()
parentPort?.on('message', async (request: TagRequest) => {
  parentPort?.postMessage(await tagOf(request))
})
