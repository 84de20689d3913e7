import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { key, sql } from '#sql/query.ts'
import { add, all, drained, everything, type Opened, refused, thing, titleOf, withThings } from './things.ts'

export const writesAllOrNothing = (engine: Opened) => {
  describe(`${engine.name} writes all or nothing`, { skip: engine.skip }, () => {
    test('a write returns the number of changed rows', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      await add(database, 'b', 'two')
      assert.equal(await database.write((tx) => tx.run(sql`UPDATE thing SET title = ${'x'}`)), 2)
      assert.equal(await database.write((tx) => tx.run(sql`DELETE FROM thing WHERE id = ${'none'}`)), 0)
    })

    test('a single statement is its own transaction', async (t) => {
      const database = await withThings(engine, t)
      const insert = (id: string) =>
        database.run(sql`INSERT INTO thing (id, title) VALUES (${key(id)}, ${'x'})`)
      const replace = (from: string) =>
        database.run(sql`UPDATE thing SET title = ${'y'} WHERE id = ${key('a')} AND title = ${from}`)
      assert.equal(await insert('a'), 1)
      await refused('conflict', insert('a'))
      assert.deepEqual((await Promise.all([replace('x'), replace('x')])).toSorted(), [0, 1])
      await assert.rejects(database.run(sql`INSERT INTO nowhere VALUES (${1})`))
      assert.deepEqual((await all(database)).map(titleOf), ['y'])
    })

    test('one statement can be run, read, and run again', async (t) => {
      const database = await withThings(engine, t)
      const insert = (id: string) =>
        sql`INSERT INTO thing (id, title) VALUES (${key(id)}, ${'x'}) RETURNING rank`
      assert.equal(await database.run(insert('a')), 1)
      assert.deepEqual(await database.write((tx) => tx.read(insert('b'), ({ rank }) => rank)), [1])
      assert.equal(await database.run(insert('c')), 1)
    })

    test('a violated foreign key is refused as a conflict, and the other writes of its group succeed', async (t) => {
      const database = await withThings(engine, t)
      await database.alter((tx) =>
        tx.exec('CREATE TABLE part (id TEXT PRIMARY KEY, whole TEXT REFERENCES thing (id))'),
      )
      const addPart = (id: string, whole: string) =>
        database.run(sql`INSERT INTO part (id, whole) VALUES (${key(id)}, ${whole})`)
      await add(database, 'a', 'one')
      await Promise.all([addPart('p', 'a'), refused('conflict', addPart('q', 'none')), addPart('r', 'a')])
      await refused('conflict', database.run(sql`DELETE FROM thing WHERE id = ${key('a')}`))
      assert.deepEqual((await all(database)).map(titleOf), ['one'])
      const parts = await database.scan(sql`SELECT id FROM part ORDER BY id`, ({ id }) => id)
      assert.deepEqual(parts, ['p', 'r'])
    })

    test('only one of two concurrent replacements of one version changes the row', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      const replace = (title: string) =>
        database.write((tx) =>
          tx.run(
            sql`UPDATE thing SET title = ${title}, rank = rank + 1 WHERE id = ${key('a')} AND rank = ${1}`,
          ),
        )
      const changed = await Promise.all([replace('two'), replace('three')])
      assert.deepEqual(changed.toSorted(), [0, 1])
      assert.deepEqual((await all(database)).map(titleOf), [changed[0] === 1 ? 'two' : 'three'])
    })

    test('a write sees its own changes', async (t) => {
      const database = await withThings(engine, t)
      const seen = await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${key('a')}, ${'one'})`)
        const first = await tx.read(sql`SELECT title FROM thing WHERE id = ${key('a')}`, titleOf)
        await tx.run(sql`UPDATE thing SET title = ${'two'} WHERE id = ${key('a')}`)
        return [...first, ...(await tx.read(sql`SELECT title FROM thing WHERE id = ${key('a')}`, titleOf))]
      })
      assert.deepEqual(seen, ['one', 'two'])
    })

    test('uncommitted changes are invisible to reads, scans and streams', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      const wrote = Promise.withResolvers<void>()
      const goOn = Promise.withResolvers<void>()
      const writing = database.write(async (tx) => {
        await tx.run(sql`UPDATE thing SET title = ${'two'} WHERE id = ${key('a')}`)
        wrote.resolve()
        await goOn.promise
      })
      await wrote.promise
      assert.deepEqual((await all(database)).map(titleOf), ['one'])
      assert.deepEqual((await database.scan(everything, thing)).map(titleOf), ['one'])
      assert.deepEqual((await drained(database)).map(titleOf), ['one'])
      goOn.resolve()
      await writing
      assert.deepEqual((await all(database)).map(titleOf), ['two'])
      assert.deepEqual((await database.scan(everything, thing)).map(titleOf), ['two'])
      assert.deepEqual((await drained(database)).map(titleOf), ['two'])
    })

    test('of concurrent writes, only those that fail are rolled back', async (t) => {
      const database = await withThings(engine, t)
      const outcomes = await Promise.allSettled([
        add(database, 'a', 'one'),
        add(database, 'b', 'two').then(() => add(database, 'b', 'again')),
        database.write(async (tx) => {
          await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'c'}, ${'three'})`)
          throw new Error('changed its mind')
        }),
        add(database, 'd', 'four'),
      ])
      assert.deepEqual(
        outcomes.map((outcome) => outcome.status),
        ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
      )
      assert.deepEqual(
        (await all(database)).map(({ id }) => id),
        ['a', 'b', 'd'],
      )
    })

    test('a failed statement fails its write even if the error is caught', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'one')
      const work = database.write(async (tx) => {
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'b'}, ${'two'})`)
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'two'})`).catch(() => undefined)
      })
      await refused('conflict', work)
      assert.deepEqual((await all(database)).map(titleOf), ['one'])
    })

    test('a transaction refuses statements after its end', async (t) => {
      const database = await withThings(engine, t)
      const tx = await database.write(async (tx) => tx)
      await assert.rejects(tx.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'late'})`))
      assert.deepEqual(await all(database), [])
    })
  })
}
