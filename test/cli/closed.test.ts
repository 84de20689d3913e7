import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { rollcall } from '../operations/child.ts'
import { noOtherUser, otherUser } from '../other-user.ts'

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
