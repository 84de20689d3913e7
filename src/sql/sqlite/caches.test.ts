import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Database, RowMapper } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { add, blockThisThread, firstBatch, id, rename, text, withNotes } from '#test/sqlite-notes.ts'

describe('The SQLite cache', () => {
  const byId = (id: string) => sql`SELECT id, text FROM note WHERE id = ${key(id)}`
  const list = sql`SELECT id FROM note ORDER BY id`
  const note: RowMapper<{ id: unknown; text: unknown }> = (row) => ({ id: row.id, text: row.text })

  test('keeps a record that was found by its key until a commit changes the record of this key', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a', 'old')
    await add(database, 'b', 'old')
    const found = await database.find(byId('a'), note)
    assert.equal(await database.find(byId('a'), note), found)
    assert.notEqual(await database.find(byId('b'), note), found)
    await add(database, 'c', 'old')
    await rename(database, 'b')
    assert.equal(await database.find(byId('a'), note), found)
    assert.equal(await database.find(byId('a'), text), 'old', 'another row mapper yields another value')
    await rename(database, 'a')
    assert.deepEqual(await database.find(byId('a'), note), { id: 'a', text: 'new' })
  })

  test('finds the right record for two keys with the same hash', async (t) => {
    const database = await withNotes(t)
    await add(database, 'Aa', 'old')
    await add(database, 'BB', 'old')
    for (const id of ['Aa', 'BB', 'Aa', 'BB'])
      assert.deepEqual(await database.find(byId(id), note), { id, text: 'old' })
    await rename(database, 'Aa')
    assert.equal(await database.find(byId('BB'), text), 'old')
    assert.equal(await database.find(byId('Aa'), text), 'new')
  })

  test('keeps a list from its second read until a commit changes rows', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    const texts = sql`SELECT text FROM note`
    const [first, firstTexts] = [await database.read(list, id), await database.scan(texts, text)]
    const [read, scanned] = [await database.read(list, id), await database.scan(texts, text)]
    assert.notEqual(read, first)
    assert.notEqual(scanned, firstTexts)
    await rename(database, 'none')
    assert.equal(await database.read(list, id), read)
    assert.equal(await database.scan(texts, text), scanned)
    await rename(database, 'a')
    assert.notEqual(await database.read(list, id), read)
    assert.notEqual(await database.scan(texts, text), scanned)
  })

  test('keeps a list of 2,000 rows, but not a list of 2,001', async (t) => {
    const database = await withNotes(t)
    const numbers = (count: number) =>
      sql`WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${count}) SELECT id FROM n`
    for (const [count, isKept] of [
      [2_000, true],
      [2_001, false],
    ] as const) {
      await database.scan(numbers(count), id)
      const second = await database.scan(numbers(count), id)
      assert.equal((await database.scan(numbers(count), id)) === second, isKept, String(count))
    }
  })

  const readers: [string, (database: Database) => Promise<readonly string[]>][] = [
    ['scan', (database) => database.scan(list, id)],
    ['stream', (database) => firstBatch(database, list)],
  ]
  for (const [name, read] of readers) {
    test(`does not keep the result of a ${name} if a commit happened meanwhile`, async (t) => {
      const database = await withNotes(t)
      await read(database)
      await read(database)
      await add(database, 'a')
      const [wrote, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const writing = database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'b'})`)
        wrote.resolve()
        await goOn.promise
      })
      await wrote.promise
      const reading = read(database)
      for (let ticks = 0; ticks < 50; ticks++) await undefined
      blockThisThread(100)
      goOn.resolve()
      await writing
      await reading
      assert.deepEqual(await read(database), ['a', 'b'])
    })
  }

  test('freezes records with their nested objects', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    const nested: RowMapper<{ inner: { id: unknown } }> = (row) => ({ inner: { id: row.id } })
    const made = await database.find(byId('a'), nested)
    assert.throws(() => {
      if (made) made.inner.id = 'changed'
    }, TypeError)
  })
})
