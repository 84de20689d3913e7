import assert from 'node:assert/strict'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { add, filledFile, ids, openForTest, refused } from '#test/sqlite-notes.ts'

const replace = (path: string) => {
  copyFileSync(path, `${path}.other`)
  renameSync(`${path}.other`, path)
}

describe('The SQLite file of a running service', () => {
  for (const [name, lose] of [['deleted', rmSync] as const, ['replaced', replace] as const]) {
    test(`after the file was ${name}, writes and pings fail, but reads succeed`, async (t) => {
      const { path, database, failures } = await openWithFile(t)
      lose(path)
      await refused('storageUnavailable', database.ping())
      await refused('storageUnavailable', add(database, 'b'))
      await refused('storageUnavailable', add(database, 'c'))
      assert.deepEqual(failures, ['moved', 'moved', 'moved'])
      assert.ok((await ids(database)).includes('a'), 'it is still read')
    })
  }

  test('migrating fails with a message that the file was deleted, if it was', async (t) => {
    const { path, database } = await openWithFile(t)
    rmSync(path)
    await refused('storageUnavailable', database.ping())
    await assert.rejects(
      database.alter(async () => undefined),
      {
        name: 'DataUnusable',
        message: `${path} cannot be used: ${path} was deleted or replaced while it was open.`,
      },
    )
  })

  test('after the lock file was deleted, writes fail, because another process may use the database too', async (t) => {
    const { path, database } = await openWithFile(t)
    rmSync(`${path}.lock`)
    const other = await openForTest(t, `sqlite:${path}`)
    await refused('storageUnavailable', database.ping())
    await refused('storageUnavailable', add(database, 'b'))
    await add(other, 'c')
  })

  test('writes succeed again after the file was moved back', async (t) => {
    const { path, database } = await openWithFile(t)
    renameSync(path, `${path}.aside`)
    await refused('storageUnavailable', database.ping())
    await refused('storageUnavailable', add(database, 'b'))
    renameSync(`${path}.aside`, path)
    await add(database, 'c')
    await database.ping()
  })
})

const openWithFile = async (t: TestContext) => {
  const path = await filledFile(t)
  const failures: string[] = []
  const observe = { storageFailed: (kind: string) => void failures.push(kind) }
  const database = await openForTest(t, `sqlite:${path}`, { observe })
  await add(database, 'a')
  return { path, database, failures }
}
