import assert from 'node:assert/strict'
import { closeSync, openSync, statfsSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { noSmallDisk, smallDisk } from '../small-disk.ts'
import { alter, openFolder } from './folder.ts'

const skip = noSmallDisk

const doctor = ['doctor', '--port', '0', '--management-port', 'off']

test('every command names a damaged file and the remedy', async () => {
  const { folder, url, run, good } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  spoil(join(folder, 'a.db'), 'todo')
  const sentence = /^(rollcall: )?(bad +data +)?\S*a\.db is damaged\. Restore it from a backup\.$/m
  for (const args of [
    ['todo', 'list'],
    ['todo', 'add', 'b'],
    ['export', 'todos', 'todos.ndjson'],
    ['backup', 'copy.db'],
    ['verify'],
    ['move', '--from', url('a.db'), '--to', url('other.db')],
    doctor,
  ]) {
    const { code, out, err } = await run(args, url('a.db'))
    assert.deepEqual([code, sentence.test(out + err)], [3, true], `${args}: ${out}${err}`)
  }
})

test('doctor says that it has not checked the rows; verify finds an altered row', async () => {
  const { folder, url, run, good } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  alter(join(folder, 'a.db'), "UPDATE todo SET todo_title = 'b'")
  const words =
    'with the tables of this version; its rows were not checked; `rollcall verify` checks them all'
  assert.ok((await run(doctor, url('a.db'))).out.includes(words))
  assert.equal((await run(['verify'], url('a.db'))).code, 3)
})

test('a restore refuses a damaged backup and advises another one', async () => {
  const { folder, url, run, good, write } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  await good(['backup', 'copy.db'], url('a.db'))
  spoil(join(folder, 'copy.db'), 'todo')
  await write('empty.db', '')
  for (const [name, sentence] of [
    ['copy.db', 'copy.db is damaged. Restore another backup.'],
    ['empty.db', 'empty.db has no bytes at all. Restore another backup.'],
  ] as const) {
    const { code, err } = await run(['restore', name, '--replace'], url('a.db'))
    assert.deepEqual([code, err], [3, `rollcall: ${sentence}\n`])
  }
  assert.match(await good(['todo', 'list'], url('a.db')), /\ba\b/)
})

test('commands report a full disk and exit with 3', { skip }, async (t) => {
  const { folder, url, run, good, write } = openFolder()
  const disk = smallDisk(t, folder, '1m')
  await write('todos.ndjson', '{"todoTitle":"c"}')
  await good(['todo', 'add', 'a'], url('disk/a.db'))
  fill(disk, 40 * 1_024)
  for (const args of [
    ['todo', 'add', 'b'],
    ['import', 'todos', 'todos.ndjson'],
  ]) {
    const { code, err } = await run(args, url('disk/a.db'))
    assert.deepEqual([code, err], [3, 'rollcall: The storage is unavailable: the disk is full.\n'], `${args}`)
  }
})

test('after a restore on a full disk no service starts, and the restore works once there is space', {
  skip,
}, async (t) => {
  const { folder, url, run, good } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  const disk = smallDisk(t, folder, '1m')
  fill(disk, 40 * 1_024)
  const full = await run(['restore', 'a.db'], url('disk/a.db'))
  assert.deepEqual([full.code, /the disk is full\.$/m.test(full.err)], [3, true], full.err)
  fill(disk, 512 * 1_024)
  const { code, err } = await run(['todo', 'add', 'b'], url('disk/a.db'))
  assert.deepEqual([code, /a restore was cut off/.test(err)], [3, true], err)
  await good(['restore', 'a.db'], url('disk/a.db'))
  assert.match(await good(['todo', 'list'], url('disk/a.db')), / {2}a$/m)
})

/** Fills the disk, except for this many bytes. */
const fill = (disk: string, freeBytes: number) => {
  const filler = join(disk, 'filler')
  writeFileSync(filler, '')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(filler, new Uint8Array(bavail * bsize - freeBytes))
}

/** Overwrites the first page of a table. */
const spoil = (path: string, table: string) => {
  using database = new DatabaseSync(path, { readOnly: true })
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)
  const pageBytes = 4_096
  const handle = openSync(path, 'r+')
  writeSync(
    handle,
    new Uint8Array(pageBytes).fill(0x55),
    0,
    pageBytes,
    (Number(found?.rootpage) - 1) * pageBytes,
  )
  closeSync(handle)
}
