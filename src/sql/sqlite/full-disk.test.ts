import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#sql/database.ts'
import { freshFolder } from '#test/fresh-folder.ts'
import { add, withNotes } from './notes.suite.ts'

const skip = process.platform !== 'linux' || process.getuid?.() !== 0

test('a log that has filled the disk is checkpointed as soon as the file can grow again', {
  skip,
}, async (t) => {
  const disk = smallDisk(t, '2m')
  const path = join(disk, 'rollcall.db')
  const database = await withNotes(t, {}, `sqlite:${path}`)
  const count = await addUntilFull(database)
  await assert.rejects(add(database, 'more'))
  await sleep(checkpointMs)
  const logBytes = statSync(`${path}-wal`).size
  remount(disk, `${2 * 1024 * 1024 + logBytes}`)
  await add(database, 'the first')
  await sleep(checkpointMs)
  assert.ok(statSync(path).size > count * 1_000, 'the file holds what the log held')
  assert.ok(statSync(`${path}-wal`).size < 1.1 * logBytes, 'the log has taken next to nothing of the space')
})

/** Enough for a checkpoint of two megabytes, and to start the thread that does it. */
const checkpointMs = 1_000

/** Returns how many notes there was space for. */
const addUntilFull = async (database: Database) => {
  for (let n = 0; ; n++)
    try {
      await add(database, `${n}`, 'x'.repeat(1_000))
    } catch {
      return n
    }
}

const smallDisk = (t: TestContext, size: string) => {
  const disk = join(freshFolder(), 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk])
  t.after(() => execFileSync('umount', ['-l', disk]))
  return disk
}

const remount = (disk: string, size: string) =>
  execFileSync('mount', ['-o', `remount,size=${size}`, 'tmpfs', disk])
