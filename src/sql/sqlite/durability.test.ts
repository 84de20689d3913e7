import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#sql/database.ts'
import type { OpenOptions } from '#sql/open.ts'
import { sql } from '#sql/query.ts'
import { add, addMany, id, newPath, refused, withNotes } from '#test/sqlite-notes.ts'

describe('SQLite durability', () => {
  test('writes of one turn of the event loop share one commit', async (t) => {
    const { database, groups } = await openObserved(t)
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => add(database, id)))
    await add(database, 'e')
    assert.deepEqual(groups, [4, 1])
  })

  test('a commit waits for the writes of further turns only after a shared commit', async (t) => {
    const { database, groups } = await openObserved(t, { gatherMs: 10_000 })
    const addInTurns = async (ids: readonly string[]) => {
      const added = ids.map(async (id, turn) => {
        for (let passed = 0; passed < turn; passed++) await nextTurn()
        await add(database, id)
      })
      await Promise.all(added)
    }
    await addInTurns(['a', 'b', 'c'])
    assert.deepEqual(groups, [1, 1, 1])
    await Promise.all(['d', 'e'].map((id) => add(database, id)))
    groups.length = 0
    await addInTurns(['f', 'g', 'h'])
    assert.deepEqual(groups, [3])
    groups.length = 0
    await add(database, 'i')
    await addInTurns(['j', 'k', 'l'])
    assert.deepEqual(groups, [1, 1, 1, 1])
  })

  test('a commit waits for further writes no longer than its time limit', async (t) => {
    const { database, groups } = await openObserved(t, { gatherMs: 0 })
    await Promise.all(['a', 'b'].map((id) => add(database, id)))
    groups.length = 0
    const first = add(database, 'c')
    await nextTurn()
    await Promise.all([first, add(database, 'd')])
    assert.deepEqual(groups, [1, 1])
  })

  test('a commit takes no more writes than its size limit', async (t) => {
    const { database, groups } = await openObserved(t, { groupedWrites: 2 })
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => add(database, id)))
    assert.deepEqual(groups, [2, 2, 1])
  })

  test('checkpoints bound the WAL while nobody reads, and closing the database empties it', async (t) => {
    const path = newPath()
    const database = await withNotes(
      t,
      { limits: { checkpointRows: 50, shortWalPages: 0 } },
      `sqlite:${path}`,
    )
    for (let count = 0; count < 2_000; count++) await add(database, `note${count}`)
    const walBytes = statSync(`${path}-wal`).size
    assert.ok(walBytes < 4 * 1_024 * 1_024, `the WAL has ${walBytes} bytes`)
    await database.close()
    assert.ok(!existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0)
  })

  test('a checkpoint follows after a number of rows, even if few statements wrote them', async (t) => {
    const path = newPath()
    const database = await withNotes(
      t,
      { limits: { checkpointRows: 500, shortWalPages: 0 } },
      `sqlite:${path}`,
    )
    for (let count = 0; count < 20; count++) await add(database, `note${count}`)
    for (let round = 0; round < 400; round++)
      await database.run(sql`UPDATE note SET text = ${String(round).padEnd(4_000, 'x')}`)
    const walBytes = statSync(`${path}-wal`).size
    assert.ok(walBytes < 20 * 1_024 * 1_024, `the WAL has ${walBytes} bytes`)
  })

  test('a long WAL restarts even if some reader is always active', async (t) => {
    const path = newPath()
    const limits = { checkpointRows: 200, shortWalPages: 0, longWalPages: 200 }
    const database = await withNotes(t, { limits }, `sqlite:${path}`)
    await addMany(database)
    let isWriting = true
    const reading = keepReading(database, () => isWriting)
    const sequence = checkpointSequenceOf(`${path}-wal`)
    const giveUpAt = performance.now() + 90_000
    const mustContinue = () =>
      checkpointSequenceOf(`${path}-wal`) === sequence && performance.now() < giveUpAt
    for (let batch = 0; mustContinue(); batch++) {
      const names = Array.from({ length: 10 }, (_, part) => `${batch}-${part}`)
      await Promise.all(names.map((name) => add(database, name, 'x'.repeat(4_000))))
      // This thread also reads and holds a snapshot.
      await database.read(sql`SELECT max(id) AS id FROM note`, id)
    }
    isWriting = false
    await reading
    assert.notEqual(checkpointSequenceOf(`${path}-wal`), sequence)
  })

  test('a list waits until a WAL that is too long has restarted', async (t) => {
    const path = newPath()
    const limits = {
      checkpointRows: 50,
      shortWalPages: 0,
      longWalPages: 100,
      maxWalPages: 200,
      waitMs: 3_000,
    }
    const database = await withNotes(t, { limits }, `sqlite:${path}`)
    await addMany(database)
    const slowReader = await beginStream(database)
    const sequence = checkpointSequenceOf(`${path}-wal`)
    for (let count = 0; count < 400; count++) await add(database, `long${count}`, 'x'.repeat(4_000))
    await refused('overloaded', beginStream(database))
    const next = beginStream(database)
    await slowReader.return?.()
    const reader = await next
    await add(database, 'last')
    assert.notEqual(checkpointSequenceOf(`${path}-wal`), sequence)
    await reader.return?.()
  })

  test('checkpoints copy the WAL into the file even if the disk has no room for a commit', async (t) => {
    const path = newPath()
    const database = await withNotes(t, {}, `sqlite:${path}`)
    for (let count = 0; count < 100; count++) await add(database, `note${count}`, 'x'.repeat(4_000))
    const isCheckpointed = () => statSync(path).size > 100 * 4_000
    assert.ok(!isCheckpointed())
    await database.alter((tx) => tx.exec('PRAGMA max_page_count = 1'))
    while (!isCheckpointed()) {
      await refused('storageUnavailable', add(database, 'big', 'x'.repeat(100_000)))
      await sleep(10, undefined, { signal: t.signal })
    }
  })
})

/** A database with notes, and the number of writes in each later commit. */
const openObserved = async (t: TestContext, limits: OpenOptions['limits'] = {}) => {
  const groups: number[] = []
  const observe = { groupCommitted: (writes: number) => groups.push(writes) }
  const database = await withNotes(t, { observe, limits })
  groups.length = 0
  return { database, groups }
}

/** The checkpoint sequence number in the WAL header, which changes each time the WAL restarts. */
const checkpointSequenceOf = (walPath: string) => readFileSync(walPath).readUInt32BE(12)

/** Starts a list and reads only its first batch. */
const beginStream = async (database: Database) => {
  const reader = database.stream(sql`SELECT * FROM note`, id)[Symbol.asyncIterator]()
  await reader.next()
  return reader
}

/** Overlapping readers: each ends after the next one has begun. */
const keepReading = async (database: Database, mustContinue: () => boolean) => {
  let reader = await beginStream(database)
  while (mustContinue()) {
    await sleep(40)
    const next = await beginStream(database)
    await reader.return?.()
    reader = next
  }
  await reader.return?.()
}
