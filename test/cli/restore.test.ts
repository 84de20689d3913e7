import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { serve } from '../operations/child.ts'
import { failingRename } from './failing-rename.ts'
import { openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

test('a database set aside with its WAL is restored with the commits in the WAL', async (t) => {
  const { url, good, names } = await withWal(t)
  await good(['restore', 'copy.db', '--replace'], url('a.db'))
  const aside = names('before').find((name) => name.endsWith('Z'))
  assert.ok(aside)
  const said = await good(['restore', aside, '--replace', '--json'], url('a.db'))
  assert.match(said, /^\{"from":"[^"]*Z","file":"[^"]*\/a\.db","before":"[^"]*Z"\}\n$/)
  assert.match(await good(['todo', 'list'], url('a.db')), /in the log/)
  assert.deepEqual(names('restored'), [])
})

test('a restored database has the mode of the replaced one, or is readable by its owner alone', async () => {
  const { folder, url, good } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  await good(['backup', 'copy.db'], url('a.db'))
  chmodSync(join(folder, 'a.db'), 0o640)
  chmodSync(join(folder, 'copy.db'), 0o644)
  await good(['restore', 'copy.db', '--replace'], url('a.db'))
  await good(['restore', 'copy.db'], url('b.db'))
  const modes = ['a.db', 'b.db'].map((name) => statSync(join(folder, name)).mode & 0o777)
  assert.deepEqual(modes, [0o640, 0o600])
})

test('a restore does not write through a symbolic link that has the name of its temporary file', async () => {
  const { folder, url, good, read, write } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  await good(['backup', 'copy.db'], url('a.db'))
  await write('diary', 'Dear diary')
  symlinkSync('diary', join(folder, 'b.db.restored.unfinished'))
  await good(['restore', 'copy.db'], url('b.db'))
  assert.equal(await read('diary'), 'Dear diary')
  assert.match(await good(['todo', 'list'], url('b.db')), /a/)
})

test('a cursor from before a restore is refused', async (t) => {
  const { url, good } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  await good(['backup', 'copy.db'], url('a.db'))
  const before = await changesOf(t, url('a.db'), '')
  await good(['restore', 'copy.db'], url('b.db'))
  const { cursor } = JSON.parse(before)
  assert.match(await changesOf(t, url('b.db'), `?after=${cursor}`), /e\.xx\.fw\.5002/)
})

const changesOf = async (t: TestContext, DATABASE_URL: string, query: string) => {
  const { url, kill, exit } = await serve(t, { environment: { DATABASE_URL } })
  const answer = await (await fetch(`${url}/api/v1/changes${query}`)).text()
  kill('SIGTERM')
  await exit
  return answer
}

test('a restore interrupted between the file and its WAL loses nothing, and completes when it runs again', async (t) => {
  const { folder, url, run, good, names } = await withWal(t)
  const wal = readFileSync(join(folder, 'a.db-wal'))
  const args = ['restore', 'copy.db', '--replace']
  const environment = { DATABASE_URL: url('a.db'), NODE_OPTIONS: `--import=${failingRename('-wal')}` }
  const failed = await rollcall(args, { cwd: folder, environment })
  assert.match(failed.err, /a\.db cannot be written: EIO/)
  const started = await run(['todo', 'add', 'in an empty one'], url('a.db'))
  assert.deepEqual(
    [started.code, /a restore was cut off. Run the restore again/.test(started.err)],
    [3, true],
  )
  await good(args, url('a.db'))
  assert.doesNotMatch(await good(['todo', 'list'], url('a.db')), /in the log/)
  const aside = names('before')
  assert.equal(aside.filter((name) => name.endsWith('Z')).length, 1)
  const kept = aside.find((name) => name.endsWith('-wal'))
  assert.equal(kept, `${aside.find((name) => name.endsWith('Z'))}-wal`)
  assert.deepEqual(readFileSync(join(folder, kept ?? '')), wal)
  assert.deepEqual(names('restored'), [])
})

/** A database whose last write is only in its WAL, and a backup made before that write. */
const withWal = async (t: TestContext) => {
  const room = openFolder()
  const { folder, url, good } = room
  await good(['todo', 'add', 'in the copy'], url('a.db'))
  await good(['backup', 'copy.db'], url('a.db'))
  const service = await serve(t, { environment: { DATABASE_URL: url('a.db') } })
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ todoTitle: 'in the log' })
  const answer = await fetch(`${service.url}/api/v1/todos`, { method: 'POST', headers, body })
  assert.equal(answer.status, 201)
  service.kill('SIGKILL')
  await service.exit
  const names = (part: string) => readdirSync(folder).filter((name) => name.includes(`.${part}`))
  return { ...room, names }
}
