import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { raw } from '#sql/query.ts'
import {
  assertUnusable,
  filledFile,
  firstBatch,
  id,
  ids,
  newPath,
  openForTest,
  writer,
} from '#test/sqlite-notes.ts'

const readOnly = { readOnly: true }

describe('A SQLite file opened with readOnly: true', () => {
  test('does not change, and no file appears beside it', async (t) => {
    const path = await filledFile(t)
    rmSync(`${path}.lock`)
    const before = filesBeside(path)
    const database = await openForTest(t, `sqlite:${path}`, readOnly)
    assert.equal((await ids(database)).length, 5_000)
    assert.equal((await database.scan(raw('SELECT id FROM note'), id)).length, 5_000)
    assert.ok((await firstBatch(database)).length > 0)
    await assert.rejects(database.run(raw('DELETE FROM note')))
    await database.close()
    assert.deepEqual(filesBeside(path), before)
  })

  test('includes the content of its WAL, with or without the -shm file', async (t) => {
    const path = await fileOfKilledWriter(t)
    const idsWithIndex = await readIds(t, path)
    assert.ok(idsWithIndex.includes('note0-1'))
    rmSync(`${path}-shm`)
    const database = await openForTest(t, `sqlite:${path}`, readOnly)
    assert.deepEqual(await ids(database), idsWithIndex)
  })

  test('is refused while a service uses it; while it is open, services are refused but other readers are not', async (t) => {
    const path = await filledFile(t)
    const service = await openForTest(t, `sqlite:${path}`)
    await assertUnusable('locked', path, readOnly)
    await service.close()
    await openForTest(t, `sqlite:${path}`, readOnly)
    const other = await openForTest(t, `sqlite:${path}`, readOnly)
    assert.equal((await ids(other)).length, 5_000)
    await assertUnusable('locked', path)
  })
})

/** A file whose writer was killed, so that its writes are only in the WAL. */
const fileOfKilledWriter = async (t: TestContext) => {
  const path = newPath()
  const child = await writer(t, path)
  child.kill('SIGKILL')
  await once(child, 'close')
  return path
}

const readIds = async (t: TestContext, path: string) => {
  const before = filesBeside(path)
  const database = await openForTest(t, `sqlite:${path}`, readOnly)
  const found = await ids(database)
  await database.close()
  assert.deepEqual(filesBeside(path), before)
  return found
}

const filesBeside = (path: string) =>
  readdirSync(dirname(path)).map((name) => [name, readFileSync(join(dirname(path), name), 'base64')])
