import assert from 'node:assert/strict'
import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { getPriority, platform } from 'node:os'
import { test } from 'node:test'
import { argon2id } from './password.ts'

const parameters: Argon2Parameters = {
  message: 'correct horse',
  nonce: Buffer.from('somesalt'),
  memory: 64,
  passes: 2,
  parallelism: 1,
  tagLength: 32,
}

test('hashes computed concurrently each match their own parameters', async () => {
  const inputs = [1, 2, 3, 4, 5].map((passes) => ({ ...parameters, passes }))
  assert.deepEqual(
    await Promise.all(inputs.map(argon2id)),
    inputs.map((input) => argon2Sync('argon2id', input)),
  )
})

test('invalid parameters are rejected, and the next hash is computed', async () => {
  await assert.rejects(argon2id({ ...parameters, nonce: Buffer.from('short') }))
  assert.deepEqual(await argon2id(parameters), argon2Sync('argon2id', parameters))
})

test('a thread that hashes runs at a lower priority than the main thread', {
  skip: platform() !== 'linux' && 'only Linux shows the niceness of each thread',
}, async () => {
  await argon2id(parameters)
  const lowered = Math.min(19, getPriority() + 10)
  assert.ok((await threadPriorities()).includes(lowered))
})

/** The niceness of each thread of this process: the 19th field of its stat. The second field is a name in brackets. */
const threadPriorities = async () => {
  const stats = (await readdir('/proc/self/task')).map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8'))
  return (await Promise.allSettled(stats)).flatMap((stat) =>
    // A thread may end between the two reads.
    stat.status === 'fulfilled' ? Number(stat.value.replace(/^.*\) /s, '').split(' ')[16]) : [],
  )
}
