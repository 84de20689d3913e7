/** Computes the tag of each password that is sent. */
import { argon2Sync, pbkdf2Sync, scryptSync } from 'node:crypto'
import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Recipe } from './password-hash.ts'

export interface TagRequest {
  readonly password: string
  readonly recipe: Recipe
}

/** Hashing takes long, so it yields to requests: with this niceness it gets a tenth of a core that both compete for. */
const addedNiceness = 10

/** Only on Linux does a priority apply to one thread; elsewhere it applies to the whole process. */
const lowerPriority = () => {
  if (platform() !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + addedNiceness))
  } catch {
    // A system call filter (seccomp) forbids it, so hashing and requests share the core equally.
  }
}

const tagOf = async ({ password, recipe }: TagRequest): Promise<Uint8Array> => {
  switch (recipe.kind) {
    case 'argon2id':
      return argon2Sync('argon2id', {
        message: password,
        nonce: recipe.salt,
        memory: recipe.memoryKiB,
        passes: recipe.passes,
        parallelism: recipe.parallelism,
        tagLength: recipe.tagBytes,
      })
    case 'pbkdf2':
      return pbkdf2Sync(password, recipe.salt, recipe.iterations, recipe.tagBytes, recipe.digest)
    case 'scrypt': {
      const { costBits, blocks: blockSize, parallelism: parallelization } = recipe
      const cost = 2 ** costBits
      const maxmem = 256 * 1024 ** 2
      return scryptSync(password, recipe.salt, recipe.tagBytes, { cost, blockSize, parallelization, maxmem })
    }
    case 'bcrypt': {
      // Loaded on first use, because most services never see such a hash.
      const { hashSync } = await import('bcryptjs')
      return Buffer.from(hashSync(password, recipe.begin))
    }
  }
}

lowerPriority()
parentPort?.on('message', async (question: TagRequest) => {
  parentPort?.postMessage(await tagOf(question))
})
