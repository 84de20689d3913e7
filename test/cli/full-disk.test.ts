import assert from 'node:assert/strict'
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { noSmallDisk, smallDisk } from '../small-disk.ts'
import { openFolder } from './folder.ts'

const skip = noSmallDisk

test('commands that change a database on a full disk say so and end with 3', { skip }, async (t) => {
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

test('a restore that met a full disk keeps services away, and works once there is space', {
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

/** Leaves so many bytes free. */
const fill = (disk: string, freeBytes: number) => {
  const filler = join(disk, 'filler')
  writeFileSync(filler, '')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(filler, new Uint8Array(bavail * bsize - freeBytes))
}
