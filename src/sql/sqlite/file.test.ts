import assert from 'node:assert/strict'
import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { sql } from '#sql/query.ts'
import { add, filledFile, ids, newPath, openForTest, withNotes } from '#test/sqlite-notes.ts'

describe('SQLite files', () => {
  test('new files get mode 0600, and a new folder 0700', async (t) => {
    const path = join(newPath(), 'deeper', 'rollcall.db')
    await withNotes(t, {}, `sqlite:${path}`)
    assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700)
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`])
      assert.equal(statSync(file).mode & 0o777, 0o600, file)
  })

  test('the permissions of an existing file stay as they are', async (t) => {
    const path = await filledFile(t)
    chmodSync(path, 0o640)
    await openForTest(t, `sqlite:${path}`)
    assert.equal(statSync(path).mode & 0o777, 0o640)
  })

  test('data survives a restart, and the commit token differs afterwards', async (t) => {
    const path = newPath()
    const first = await withNotes(t, {}, `sqlite:${path}`)
    await add(first, 'a')
    const state = await first.commitToken()
    await first.close()
    const second = await openForTest(t, `sqlite:${path}`)
    assert.deepEqual(await ids(second), ['a'])
    assert.notEqual(await second.commitToken(), state)
  })

  test('closing an in-memory database deletes its temporary file', async (t) => {
    const database = await withNotes(t)
    const [file] = await database.read(sql`SELECT file FROM pragma_database_list`, (row) => String(row.file))
    assert.ok(existsSync(String(file)))
    await database.close()
    assert.ok(!existsSync(String(file)))
  })
})
