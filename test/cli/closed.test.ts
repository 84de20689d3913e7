import assert from 'node:assert/strict'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { noOtherUser, otherUser } from '../other-user.ts'
import { rollcall } from './warm.ts'

const skip = noOtherUser()

test('a database in memory is refused in one sentence where no temporary folder can be created', {
  skip,
}, async () => {
  const folder = freshFolder()
  const environment = { DATABASE_URL: 'sqlite::memory:', TMPDIR: folder }
  for (const args of [['todo', 'add', 'a'], ['serve']]) {
    const ended = await rollcall(args, { environment, cwd: '/', user: otherUser })
    assert.deepEqual(ended, {
      code: 3,
      out: '',
      err: `rollcall: A database in memory needs a temporary folder, which cannot be created in ${folder}: permission denied. Name another place in TMPDIR.\n`,
    })
  }
})

describe('a `.lock` that the user may not open', { skip }, () => {
  for (const args of ['verify', 'export todos out.ndjson', 'todo list', 'todo add a', 'serve', 'doctor'])
    test(`is named by ${args}, with what to do`, async () => {
      const folder = freshFolder()
      chownSync(folder, otherUser.uid, otherUser.gid)
      const path = join(folder, 'rollcall.db')
      const environment = { DATABASE_URL: `sqlite:${path}`, PORT: '0', MANAGEMENT_PORT: '0' }
      const run = (args: string) => rollcall(args.split(' '), { cwd: folder, environment, user: otherUser })
      assert.equal((await run('todo add first')).code, 0)
      chownSync(`${path}.lock`, 0, 0)
      const { code, out, err } = await run(args)
      const words = `${path}.lock cannot be opened, so the database cannot either. Give it the owner and the permissions of ${path}.`
      assert.ok((out + err).includes(words), out + err)
      assert.equal(code, 3)
    })
})
