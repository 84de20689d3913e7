import assert from 'node:assert/strict'
import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { getPriority, platform } from 'node:os'
import { test } from 'node:test'
import { argon2id } from './argon2.ts'

const parameters: Argon2Parameters = {
  message: 'correct horse',
  nonce: Buffer.from('somesalt'),
  memory: 64,
  passes: 2,
  parallelism: 1,
  tagLength: 32,
}

test('each hash is that of its own question, however many are computed at once', async () => {
  const questions = [1, 2, 3, 4, 5].map((passes) => ({ ...parameters, passes }))
  assert.deepEqual(
    await Promise.all(questions.map(argon2id)),
    questions.map((question) => argon2Sync('argon2id', question)),
  )
})

test('a hash that cannot be computed is refused, and the next one is computed', async () => {
  await assert.rejects(argon2id({ ...parameters, nonce: Buffer.from('short') }))
  assert.deepEqual(await argon2id(parameters), argon2Sync('argon2id', parameters))
})

test('who hashes stands behind who answers', {
  skip: platform() !== 'linux' && 'only Linux knows how threads of one process stand',
}, async () => {
  await argon2id(parameters)
  const behind = Math.min(19, getPriority() + 10)
  assert.ok((await threads()).includes(behind))
})

/** The niceness of each thread of this process: the 19th field of its stat. The second field is a name in brackets. */
const threads = async () => {
  const stats = (await readdir('/proc/self/task')).map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8'))
  return (await Promise.allSettled(stats)).flatMap((stat) =>
    // A thread may end between the two reads.
    stat.status === 'fulfilled' ? Number(stat.value.replace(/^.*\) /s, '').split(' ')[16]) : [],
  )
}
