import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Database, Make } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { add, blockThisThread, firstBatch, id, rename, text, withNotes } from './notes.suite.ts'

describe('SQLite remembers what it read', () => {
  const byId = (id: string) => sql`SELECT id, text FROM note WHERE id = ${key(id)}`
  const list = sql`SELECT id FROM note ORDER BY id`

  test('by its key, until a commit names the key', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    await add(database, 'b')
    const read = await database.read(byId('a'), id)
    assert.equal(await database.read(byId('a'), id), read)
    assert.notEqual(await database.read(byId('b'), id), read)
    assert.notEqual(await database.read(byId('a'), text), read, 'another make makes something else')
    await add(database, 'c')
    await rename(database, 'b')
    assert.equal(await database.read(byId('a'), id), read)
    await rename(database, 'a')
    assert.notEqual(await database.read(byId('a'), id), read)
  })

  test('without a key from the second time on, until any commit that changes something', async (t) => {
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

  test('and a short stream', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    await firstBatch(database, list)
    assert.equal(await firstBatch(database, list), await firstBatch(database, list))
  })

  const readers: [string, (database: Database) => Promise<readonly string[]>][] = [
    ['scan', (database) => database.scan(list, id)],
    ['stream', (database) => firstBatch(database, list)],
  ]
  for (const [name, read] of readers) {
    test(`but not a ${name} that a commit overtook`, async (t) => {
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

  test('in a form that nobody can change', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    const nested: Make<{ inner: { id: unknown } }> = (row) => ({ inner: { id: row.id } })
    const [made] = await database.read(byId('a'), nested)
    assert.throws(() => {
      if (made) made.inner.id = 'changed'
    }, TypeError)
  })

  test('but not more than there is room for', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    const read = await database.read(byId('a'), id)
    for (let count = 0; count < 30_000; count++) await database.read(byId(`none${count}`), id)
    assert.notEqual(await database.read(byId('a'), id), read)
  })
})
