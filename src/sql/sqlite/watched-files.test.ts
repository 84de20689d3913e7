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
    test(`a ${name} file refuses writes and fails the ping, but can still be read`, async (t) => {
      const { path, database, failures } = await running(t)
      lose(path)
      await refused('storageUnavailable', database.ping())
      await refused('storageUnavailable', add(database, 'b'))
      await refused('storageUnavailable', add(database, 'c'))
      assert.deepEqual(failures, ['moved', 'moved', 'moved'])
      assert.ok((await ids(database)).includes('a'), 'it is still read')
    })
  }

  test('a start fails with the reason if the file was deleted meanwhile', async (t) => {
    const { path, database } = await running(t)
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

  test('a file refuses writes if its lock file was deleted, because another process may use it, too', async (t) => {
    const { path, database } = await running(t)
    rmSync(`${path}.lock`)
    const other = await openForTest(t, `sqlite:${path}`)
    await refused('storageUnavailable', database.ping())
    await refused('storageUnavailable', add(database, 'b'))
    await add(other, 'c')
  })

  test('a file accepts writes again after it was moved back', async (t) => {
    const { path, database } = await running(t)
    renameSync(path, `${path}.aside`)
    await refused('storageUnavailable', database.ping())
    await refused('storageUnavailable', add(database, 'b'))
    renameSync(`${path}.aside`, path)
    await add(database, 'c')
    await database.ping()
  })
})

const running = async (t: TestContext) => {
  const path = await filledFile(t)
  const failures: string[] = []
  const observe = { storageFailed: (kind: string) => void failures.push(kind) }
  const database = await openForTest(t, `sqlite:${path}`, { observe })
  await add(database, 'a')
  return { path, database, failures }
}
