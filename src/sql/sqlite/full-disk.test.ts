import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#sql/database.ts'
import { freshFolder } from '#test/fresh-folder.ts'
import { noSmallDisk, resize, smallDisk } from '#test/small-disk.ts'
import { add, withNotes } from '#test/sqlite-notes.ts'

test('a WAL that has filled the disk is checkpointed as soon as the file can grow again', {
  skip: noSmallDisk,
}, async (t) => {
  const disk = smallDisk(t, freshFolder(), '2m')
  const path = join(disk, 'rollcall.db')
  const database = await withNotes(t, {}, `sqlite:${path}`)
  const count = await addUntilFull(database)
  await assert.rejects(add(database, 'more'))
  await sleep(checkpointMs)
  const walBytes = statSync(`${path}-wal`).size
  resize(disk, `${2 * 1024 * 1024 + walBytes}`)
  await add(database, 'the first')
  // Waits until the file has all pages of the WAL.
  while (statSync(path).size <= count * 1_000) await sleep(20, undefined, { signal: t.signal })
  assert.ok(statSync(`${path}-wal`).size < 1.1 * walBytes, 'the log has taken next to nothing of the space')
})

/** Enough time to start the checkpoint thread, and for a checkpoint of two megabytes to fail. */
const checkpointMs = 1_000

/** Adds notes until the disk is full. Returns their number. */
const addUntilFull = async (database: Database) => {
  for (let n = 0; ; n++)
    try {
      await add(database, `${n}`, 'x'.repeat(1_000))
    } catch {
      return n
    }
}
