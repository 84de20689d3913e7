import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodeOf, sentenceOf } from '#src/cli/exit.ts'
import { asFileError } from '#src/cli/files.ts'
import { freshFolder } from '../fresh-folder.ts'
import { childEnvironment, main } from '../program.ts'
import { rollcall } from './warm.ts'

test('an interrupted export leaves only an .unfinished file, and the next export starts from the beginning', async (t) => {
  const folder = freshFolder()
  const file = join(folder, 'todos.ndjson')
  const child = spawn(process.execPath, [main, 'export', 'todos', file, '--url', await halfOfAList(t)], {
    env: childEnvironment,
  })
  while (sizeOf(`${file}.unfinished`) === 0 && child.exitCode === null) await sleep(5)
  child.kill('SIGTERM')
  await once(child, 'exit')
  assert.deepEqual(readdirSync(folder), ['todos.ndjson.unfinished'])

  const environment = { DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
  await rollcall(['todo', 'add', 'x'], { environment })
  const ended = await rollcall(['export', 'todos', file], { environment })
  assert.deepEqual([ended.code, ended.err.includes('is written')], [0, true], ended.err)
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).todoTitle, 'x')
  assert.equal(statSync(file).mode & 0o077, 0, 'others can read it')
  assert.equal(existsSync(`${file}.unfinished`), false)
  assert.equal((await rollcall(['export', 'todos', file], { environment })).code, 2)
})

test('a full or failing disk gives exit code 3, and a file that may not be written gives 2', () => {
  for (const [code, exit, words] of [
    ['ENOSPC', 3, 'the disk is full'],
    ['EDQUOT', 3, 'the disk quota is used up'],
    ['EIO', 3, 'the disk reports an error'],
    ['EACCES', 2, 'EACCES, write'],
  ] as const) {
    const error = Object.assign(new Error(`${code}, write`), { code, syscall: 'write' })
    const named = asFileError('a.csv', 'written', error)
    assert.deepEqual([exitCodeOf(named), sentenceOf(named)], [exit, `a.csv cannot be written: ${words}.`])
  }
})

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** A service that sends half of a list, and then nothing. */
const halfOfAList = async (t: TestContext) => {
  const todo = JSON.stringify({ todoId: '1', todoTitle: 'x', finished: false })
  const server = createServer(({ url }, answer) => {
    answer.setHeader('X-Track', 'half')
    if (url?.includes('page=0')) answer.end(`{"totalElements":2000,"content":[${todo}]}`)
    else answer.write(`[${`${todo},`.repeat(1_000)}`)
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
