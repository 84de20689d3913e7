import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Problem } from '#core/problem.ts'
import { key, lookup, sql } from '#sql/query.ts'
import { add, all, drained, id, type Opened, refused, titleOf, withThings } from './things.ts'

export const keepsPromise = (engine: Opened) => {
  describe(`${engine.name} keeps the basic promises of a database`, { skip: engine.skip }, () => {
    test('values of every type are read back unchanged', async (t) => {
      const database = await withThings(engine, t)
      const instant = 1_795_000_000_123
      const bytes = new Uint8Array([0, 1, 255])
      const title = "Zoë's “𠮷” \\ % _ ? $1"
      await database.write((tx) =>
        tx.run(
          sql`INSERT INTO thing (id, title, done, rank, bytes) VALUES (${'a'}, ${title}, ${true}, ${instant}, ${bytes})`,
        ),
      )
      const [row] = await database.read(sql`SELECT * FROM thing`, (row) => row)
      assert.equal(row?.title, title)
      assert.equal(Boolean(row?.done), true)
      assert.equal(row?.rank, instant)
      assert.deepEqual(Uint8Array.from(row?.bytes as Uint8Array), bytes)
    })

    test('concurrent lookups each find their own record', async (t) => {
      const database = await withThings(engine, t)
      const byId = lookup({ select: 'SELECT thing.id, title', from: 'thing', key: '"thing"."id"' })
      const ids = ['a', 'b', '', 'NULL', '"', '\\', '{c,"d"}', ' e ', 'é😀']
      for (const id of ids) await add(database, id, `title of ${id}`)
      const asked = [...ids, 'none', 'a', '{a,b}', 'b']
      const found = await Promise.all(asked.map((id) => database.find(byId(id), titleOf)))
      const expected = asked.map((id) => (ids.includes(id) ? `title of ${id}` : undefined))
      assert.deepEqual(found, expected)
      assert.throws(() => byId(undefined as unknown as string), TypeError)
    })

    test('null and the empty string stay distinct', async (t) => {
      const database = await withThings(engine, t)
      await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${null})`)
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'b'}, ${''})`)
      })
      const titles = await database.read(sql`SELECT title FROM thing ORDER BY id`, (row) => row.title)
      assert.deepEqual(titles, [null, ''])
    })

    test('a question mark in a string, a name or a comment is not a parameter', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      const found = await database.read(
        sql`SELECT 'why?' AS "what?", id FROM thing WHERE id = ${'a'} -- really?`,
        (row) => row,
      )
      assert.deepEqual(found, [{ 'what?': 'why?', id: 'a' }])
    })

    test('a read cannot write', async (t) => {
      const database = await withThings(engine, t)
      const statement = sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'one'})`
      await assert.rejects(database.read(statement, id))
      await assert.rejects(database.scan(statement, id))
      await assert.rejects(drained(database, statement))
      assert.deepEqual(await all(database), [])
    })

    test('an invalid statement fails, and the next one succeeds', async (t) => {
      const database = await withThings(engine, t)
      await assert.rejects(database.read(sql`SELECT nonsense FROM nowhere`, id))
      await assert.rejects(database.scan(sql`SELECT nonsense FROM nowhere`, id))
      await assert.rejects(drained(database, sql`SELECT nonsense FROM nowhere`))
      await assert.rejects(database.write((tx) => tx.run(sql`INSERT INTO nowhere VALUES (${1})`)))
      await add(database, 'a', 'one')
      assert.equal((await all(database)).length, 1)
    })

    test('SQLite stores a text with a NUL, and PostgreSQL refuses it as bodyUnreadable', async (t) => {
      const database = await withThings(engine, t)
      const outcome = await add(database, 'a', 'be\u0000fore').catch((error: unknown) => error)
      if (database.engine === 'sqlite') assert.deepEqual((await all(database)).map(titleOf), ['be\u0000fore'])
      else assert.equal((outcome as Problem).kind, 'bodyUnreadable')
    })

    test('commitToken() changes with each commit that changes rows, and on SQLite only then', async (t) => {
      const database = await withThings(engine, t)
      let before = await database.commitToken()
      let again = await database.commitToken()
      // Other tests may commit on the same PostgreSQL server.
      for (let tries = 0; tries < 100 && again !== before; tries++) {
        before = again
        again = await database.commitToken()
      }
      assert.equal(again, before)
      await add(database, 'a', 'one')
      const after = await database.commitToken()
      assert.notEqual(after, before)
      await all(database)
      await refused('conflict', add(database, 'a', 'two'))
      await database.write((tx) => tx.run(sql`DELETE FROM thing WHERE id = ${'none'}`))
      if (database.engine === 'sqlite') assert.equal(await database.commitToken(), after)
      await database.write((tx) => tx.run(sql`DELETE FROM thing WHERE id = ${key('a')}`))
      assert.notEqual(await database.commitToken(), after)
    })
  })
}
