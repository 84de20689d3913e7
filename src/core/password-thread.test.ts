import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { getPriority, platform } from 'node:os'
import { test } from 'node:test'
import { tagOf } from './password.ts'

const recipe = {
  kind: 'argon2id',
  salt: Buffer.from('somesalt'),
  memoryKiB: 64,
  passes: 2,
  parallelism: 1,
  tagBytes: 32,
} as const

const expected = (passes: number) =>
  argon2Sync('argon2id', {
    message: 'correct horse',
    nonce: recipe.salt,
    memory: 64,
    passes,
    parallelism: 1,
    tagLength: 32,
  })

test('each of several concurrent hashes is made with its own parameters', async () => {
  const inputs = [1, 2, 3, 4, 5]
  assert.deepEqual(
    await Promise.all(inputs.map((passes) => tagOf('correct horse', { ...recipe, passes }))),
    inputs.map(expected),
  )
})

test('a hash with invalid parameters is rejected, and the next hash succeeds', async () => {
  await assert.rejects(tagOf('correct horse', { ...recipe, salt: Buffer.from('short') }))
  assert.deepEqual(await tagOf('correct horse', recipe), expected(2))
})

test('hashing threads have a lower priority than the main thread', {
  skip: platform() !== 'linux' && 'only Linux shows the niceness of each thread',
}, async () => {
  await tagOf('correct horse', recipe)
  const lowered = Math.min(19, getPriority() + 10)
  assert.ok((await threadPriorities()).includes(lowered))
})

/** The niceness of each thread of this process, from the 19th field of its stat. The second field is a name in brackets. */
const threadPriorities = async () => {
  const stats = (await readdir('/proc/self/task')).map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8'))
  return (await Promise.allSettled(stats)).flatMap((stat) =>
    // A thread may end between the two reads.
    stat.status === 'fulfilled' ? Number(stat.value.replace(/^.*\) /s, '').split(' ')[16]) : [],
  )
}
