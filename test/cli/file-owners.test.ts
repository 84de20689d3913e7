import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { serve, type Variables } from '../operations/child.ts'
import { noOtherUser, otherUser } from '../other-user.ts'
import { failingRename } from './failing-rename.ts'
import { rollcall } from './warm.ts'

const skip = noOtherUser()

describe('A file that root creates in the folder of another user', { skip }, () => {
  const creations: readonly (readonly [string, readonly string[]])[] = [
    ['a command that adds something', ['todo', 'add', 'by root']],
    ['an import', ['import', 'todos', 'todos.ndjson']],
    ['a move', ['move', '--from', 'sqlite:ours.db', '--to', 'sqlite:users/new/data/rollcall.db']],
    ['a restore where there was nothing', ['restore', 'copy.db']],
  ]
  const path = 'users/new/data/rollcall.db'
  for (const [name, args] of creations)
    test(`by ${name} belongs to that user, who can use it`, async () => {
      const { folder, root, user } = await usersFolder()
      await root(args, path)
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      assert.ok(names.includes('new/data/rollcall.db.lock'))
      const others = names.filter((name) => statSync(join(folder, name)).uid !== otherUser.uid)
      assert.deepEqual(others, [])
      await user(['todo', 'add', 'by the user'], path)
    })

  test('by a service that is killed belongs to that user, its log included', async (t) => {
    const { folder, user } = await usersFolder()
    const service = await serve(t, { environment: { DATABASE_URL: `sqlite:${join(folder, 'rollcall.db')}` } })
    service.kill('SIGKILL')
    await service.exit
    const owners = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid])
    assert.deepEqual(
      owners.sort(),
      ['', '-shm', '-wal', '.lock'].map((end) => [`rollcall.db${end}`, otherUser.uid]),
    )
    await user(['todo', 'add', 'by the user'])
  })

  test('by a backup is open to root alone', async () => {
    const { folder, root, user } = await usersFolder()
    await user(['todo', 'add', 'by the user'])
    await root(['backup', 'users/rollcall.copy'])
    const { uid, mode } = statSync(join(folder, 'rollcall.copy'))
    assert.deepEqual([uid, mode & 0o777], [0, 0o600])
  })
})

describe('A file that root restores', { skip }, () => {
  test('has the owner and mode of the file that it replaces, which is set aside with its owner and mode unchanged', async () => {
    const { folder, root, user } = await usersFolder()
    await user(['todo', 'add', 'by the user'])
    chmodSync(join(folder, 'rollcall.db'), 0o640)
    // As in a folder of root's in which the service may write by its group.
    chownSync(folder, 0, otherUser.gid)
    chmodSync(folder, 0o770)
    await root(['restore', 'copy.db', '--replace'])
    assert.match(await user(['todo', 'list']), /in the copy/)
    await user(['todo', 'add', 'afterwards'])
    const kept = readdirSync(folder).filter((name) => /^rollcall\.db(\.before-.*Z)?$/.test(name))
    assert.equal(kept.length, 2)
    for (const name of kept) {
      const { uid, gid, mode } = statSync(join(folder, name))
      assert.deepEqual({ uid, gid, mode: mode & 0o777 }, { ...otherUser, mode: 0o640 }, name)
    }
  })
})

describe('A restore by root that was cut off', { skip }, () => {
  test('gives the same owner and mode when it is run again, after the previous file was set aside', async () => {
    const { folder, run, root, user } = await usersFolder()
    await user(['todo', 'add', 'by the user'])
    const path = join(folder, 'rollcall.db')
    chmodSync(path, 0o640)
    chownSync(folder, 0, otherUser.gid)
    const ended = await run(['restore', 'copy.db', '--replace'], path, {
      NODE_OPTIONS: `--import=${failingRename('.restored')}`,
    })
    assert.match(ended.err, /cannot be written: EIO/)
    await root(['restore', 'copy.db'])
    const { uid, mode } = statSync(path)
    assert.deepEqual([uid, mode & 0o777], [otherUser.uid, 0o640])
  })
})

test('if no temporary folder can be created, a command that needs one for a database in memory says so in one sentence', {
  skip,
}, async () => {
  const folder = freshFolder()
  const environment = { DATABASE_URL: 'sqlite::memory:', TMPDIR: folder, PORT: '0', MANAGEMENT_PORT: '0' }
  for (const args of [['todo', 'add', 'a'], ['serve']]) {
    const ended = await rollcall(args, { environment, cwd: '/', user: otherUser })
    assert.deepEqual(ended, {
      code: 3,
      out: '',
      err: `rollcall: A database in memory needs a temporary folder, which cannot be created in ${folder}: permission denied. Set TMPDIR to another folder.\n`,
    })
  }
})

describe('a `.lock` that the user may not open', { skip }, () => {
  for (const args of ['todo list', 'todo add a', 'serve', 'doctor'])
    test(`is named in the error of ${args}, with the remedy`, async () => {
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

/** A folder of the other user, inside a folder of root with a database, its backup and a file to import. */
const usersFolder = async () => {
  const home = freshFolder()
  chmodSync(home, 0o755)
  const folder = join(home, 'users')
  mkdirSync(folder)
  chownSync(folder, otherUser.uid, otherUser.gid)
  const run = (args: readonly string[], path: string, more: Variables = {}, user?: typeof otherUser) => {
    const environment = { DATABASE_URL: `sqlite:${path}`, PORT: '0', MANAGEMENT_PORT: '0', ...more }
    return rollcall(args, { cwd: home, environment, ...(user && { user }) })
  }
  const good = async (args: readonly string[], path: string, user?: typeof otherUser) => {
    const { code, out, err } = await run(args, path, {}, user)
    assert.equal(code, 0, `${args.join(' ')}: ${err} ${out}`)
    return out
  }
  await good(['todo', 'add', 'in the copy'], 'ours.db')
  await good(['backup', 'copy.db'], 'ours.db')
  writeFileSync(join(home, 'todos.ndjson'), '{"todoTitle":"imported"}\n')
  return {
    home,
    folder,
    run,
    root: (args: readonly string[], path = 'users/rollcall.db') => good(args, path),
    user: (args: readonly string[], path = 'users/rollcall.db') => good(args, path, otherUser),
  }
}
