import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { openDatabase } from '../../../src/sql/open.ts'
import { freshFolder } from '../../../test/fresh-folder.ts'
import { forgetfulDisk } from './disk.ts'
import { engineLosses } from './engine.ts'
import { fates } from './fates.ts'
import { plainLosses } from './plain.ts'
import { hasStrace, record, untilExit } from './record.ts'
import { callsOf } from './trace.ts'

const skip = hasStrace() ? false : 'strace is not installed'

const sync = (disk: ReturnType<typeof forgetfulDisk>, path: string) => {
  disk.apply({ is: 'syncing', path, thread: '1' })
  disk.apply({ is: 'sync', path, thread: '1' })
}

test('the simulated disk keeps synced data, and the simulated power loss decides which unsynced data is left', () => {
  const disk = forgetfulDisk(() => true)
  disk.apply({ is: 'create', path: '/d/a' })
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.from('kept'), at: 0 })
  sync(disk, '/d/a')
  sync(disk, '/d')
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.from('LOST'), at: 2 })
  assert.equal(
    disk
      .image(fates.dropped(() => 0))
      .get('/d/a')
      ?.toString(),
    'kept',
  )
  assert.equal(
    disk
      .image(fates.kept(() => 0))
      .get('/d/a')
      ?.toString(),
    'keLOST',
  )
})

test('a sync covers only the writes that were made before it began', () => {
  const disk = forgetfulDisk(() => true)
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.from('kept'), at: 0 })
  disk.apply({ is: 'syncing', path: '/d/a', thread: '1' })
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.from('LOST'), at: 2 })
  disk.apply({ is: 'sync', path: '/d/a', thread: '1' })
  sync(disk, '/d')
  const image = disk.image(fates.dropped(() => 0))
  assert.equal(image.get('/d/a')?.toString(), 'kept')
})

test('each of two overlapping syncs covers only the writes that were made before it began, whichever ends first', () => {
  const disk = forgetfulDisk(() => true)
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.from('kept'), at: 0 })
  disk.apply({ is: 'syncing', path: '/d/a', thread: '1' })
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.from('KEPT'), at: 2 })
  disk.apply({ is: 'syncing', path: '/d/a', thread: '2' })
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.from('LOST'), at: 4 })
  sync(disk, '/d')
  const contents = () =>
    disk
      .image(fates.dropped(() => 0))
      .get('/d/a')
      ?.toString()
  disk.apply({ is: 'sync', path: '/d/a', thread: '2' })
  assert.equal(contents(), 'keKEPT')
  disk.apply({ is: 'sync', path: '/d/a', thread: '1' })
  assert.equal(contents(), 'keKEPT')
})

test('a file name may be lost if its directory was not synced', () => {
  const disk = forgetfulDisk(() => true)
  disk.apply({ is: 'create', path: '/d/a' })
  sync(disk, '/d/a')
  assert.deepEqual([...disk.image(fates.dropped(() => 0)).keys()], [])
  assert.deepEqual([...disk.image(fates.kept(() => 0)).keys()], ['/d/a'])
})

test('of a torn write, the simulated disk keeps whole sectors', () => {
  const disk = forgetfulDisk(() => true)
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.alloc(1024, 'x'), at: 0 })
  sync(disk, '/d/a')
  sync(disk, '/d')
  disk.apply({ is: 'write', path: '/d/a', bytes: Buffer.alloc(1024, 'y'), at: 0 })
  let calls = 0
  const torn = disk
    .image(fates.torn(() => (calls++ === 0 ? 0 : 0.9)))
    .get('/d/a')
    ?.toString()
  assert.equal(torn, 'y'.repeat(512) + 'x'.repeat(512))
})

test('acknowledged writes that share commits survive a power loss', {
  skip,
}, async () => {
  const losses = await engineLosses({ directory: freshFolder(), writes: 100, cuts: 75 })
  assert.ok(losses.cuts >= 74 && losses.acknowledged > 50, JSON.stringify(losses))
  assert.deepEqual(
    { lost: losses.lost, corrupt: losses.corrupt },
    { lost: 0, corrupt: 0 },
    losses.example ?? '',
  )
})

test('when folders are made for a database, their parent folders are synced', { skip }, async () => {
  const directory = freshFolder()
  const trace = join(directory, 'trace')
  const file = join(directory, 'one', 'two', 'engine.db')
  await untilExit(record(trace, [join(import.meta.dirname, 'engine-writer.ts'), file, '1']))
  const calls = await Array.fromAsync(callsOf(trace))
  const acknowledgedAt = calls.findIndex((call) => call.is === 'say' && call.text.includes('todoId'))
  const synced = calls.slice(0, acknowledgedAt).map((call) => (call.is === 'sync' ? call.path : undefined))
  for (const folder of [directory, join(directory, 'one'), join(directory, 'one', 'two')])
    assert.ok(synced.includes(folder), folder)
})

test('the WAL that a killed process left is synced before any of its content is returned', {
  skip,
}, async (t) => {
  const directory = freshFolder()
  const [live, left] = [join(directory, 'live.db'), join(directory, 'left.db')]
  const trace = join(directory, 'trace')
  const database = await openDatabase(`sqlite:${live}`)
  t.after(() => database.close())
  await database.alter((tx) =>
    tx.exec("CREATE TABLE todo (todo_title TEXT); INSERT INTO todo VALUES ('seen')"),
  )
  for (const part of ['', '-wal']) copyFileSync(`${live}${part}`, `${left}${part}`)
  await untilExit(record(trace, [join(import.meta.dirname, 'engine-reader.ts'), left]))
  const calls = await Array.fromAsync(callsOf(trace))
  const returnedAt = calls.findIndex((call) => call.is === 'say' && call.text.includes('seen'))
  for (const path of [`${left}-wal`, directory]) {
    const syncedAt = calls.findIndex((call) => call.is === 'sync' && call.path === path)
    assert.ok(
      syncedAt >= 0 && syncedAt < returnedAt,
      `${path} synced at ${syncedAt}, returned at ${returnedAt}`,
    )
  }
})

test('as a control, a plain writer with synchronous=NORMAL loses acknowledged data', { skip }, async () => {
  const losses = await plainLosses({
    directory: freshFolder(),
    synchronous: 'NORMAL',
    commits: 75,
    cuts: 100,
  })
  assert.ok(losses.lost > 15, JSON.stringify(losses))
})

test('as a control, a plain writer with synchronous=OFF corrupts the file', { skip }, async () => {
  const losses = await plainLosses({ directory: freshFolder(), synchronous: 'OFF', commits: 400, cuts: 60 })
  assert.ok(losses.corrupt > 0, JSON.stringify(losses))
})
