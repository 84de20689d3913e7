import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { conflict } from '#core/problem.ts'
import type { Database } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { add, all, drained, everything, id, type Opened, thing, titleOf, withThings } from './things.ts'

export const forgets = (engine: Opened) => {
  describe(`${engine.name} drops cached results that a commit made stale`, { skip: engine.skip }, () => {
    const byId = sql`SELECT id, title, done, rank FROM thing WHERE id = ${key('a')}`
    const rename = (database: Database, title: string) =>
      database.write((tx) => tx.run(sql`UPDATE thing SET title = ${title} WHERE id = ${key('a')}`))

    test('a record found by its key is read again after a write that names the key', async (t) => {
      const database = await withThings(engine, t)
      assert.equal(await database.find(byId, thing), undefined)
      await database.write((tx) => tx.run(sql`INSERT INTO thing (id, title) VALUES (${key('a')}, ${'one'})`))
      assert.equal((await database.find(byId, thing))?.title, 'one')
      await rename(database, 'two')
      assert.equal((await database.find(byId, thing))?.title, 'two')
    })

    test('a record found by its key is read again after a write that names no key', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      await database.find(byId, thing)
      await database.write((tx) => tx.run(sql`UPDATE thing SET title = ${'two'}`))
      assert.equal((await database.find(byId, thing))?.title, 'two')
    })

    test('a record found by its key is read again after a foreign key has deleted it', async (t) => {
      const database = await withThings(engine, t)
      const part = (id: string) => sql`SELECT id FROM part WHERE id = ${key(id)}`
      await database.alter((tx) =>
        tx.exec(
          'CREATE TABLE part (id TEXT PRIMARY KEY, whole TEXT REFERENCES thing (id) ON DELETE CASCADE)',
        ),
      )
      await add(database, 'a', 'one')
      await database.run(sql`INSERT INTO part (id, whole) VALUES (${key('p')}, ${'a'})`)
      assert.equal(await database.find(part('p'), id), 'p')
      await database.run(sql`DELETE FROM thing WHERE id = ${key('a')}`)
      assert.equal(await database.find(part('p'), id), undefined)
    })

    test('a record found by its key is read again after a write that names several keys', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      await add(database, 'b', 'one')
      await database.find(byId, thing)
      await database.write((tx) =>
        tx.run(sql`UPDATE thing SET title = ${'two'} WHERE ${sql`id = ${key('b')}`} OR id = ${key('a')}`),
      )
      assert.equal((await database.find(byId, thing))?.title, 'two')
    })

    test('a record found by its key is read again after a statement that writes and returns rows', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      await database.find(byId, thing)
      await database.write((tx) =>
        tx.read(sql`UPDATE thing SET title = ${'two'} WHERE id = ${key('a')} RETURNING id`, id),
      )
      assert.equal((await database.find(byId, thing))?.title, 'two')
    })

    test('lists are read again after any write', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      await all(database)
      await database.scan(everything, thing)
      await drained(database)
      await rename(database, 'two')
      assert.deepEqual((await all(database)).map(titleOf), ['two'])
      assert.deepEqual((await database.scan(everything, thing)).map(titleOf), ['two'])
      assert.deepEqual((await drained(database)).map(titleOf), ['two'])
    })

    test('results of a transaction that rolls back are not cached', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      await database
        .write(async (tx) => {
          await tx.run(sql`UPDATE thing SET title = ${'two'} WHERE id = ${key('a')}`)
          await tx.read(byId, thing)
          throw conflict()
        })
        .catch(() => undefined)
      assert.equal((await database.find(byId, thing))?.title, 'one')
    })

    test('a reader never sees a state older than one it has seen or one that was confirmed', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', '0')
      let writing = true
      let last = 0
      const watch = async () => {
        for (let seen = 0; writing; await sleep(0)) {
          const confirmed = last
          const [title = -1] = await database.read(byId, (row) => Number(row.title))
          assert.ok(title >= seen, `${title} after ${seen} was seen`)
          assert.ok(title >= confirmed, `${title} after ${confirmed} was confirmed`)
          seen = title
        }
      }
      const watching = Promise.all([watch(), watch()])
      for (let count = 1; count <= 50; count++) {
        await rename(database, String(count))
        last = count
      }
      writing = false
      await watching
    })
  })
}
