import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { conflict } from '#core/problem.ts'
import { sql } from '#sql/query.ts'
import { add, all, drained, type Opened, refused, titleOf, withThings } from './things.ts'

export const gathersUnits = (engine: Opened) => {
  describe(`${engine.name} gathers the writes of a unit in one transaction`, { skip: engine.skip }, () => {
    test('they are seen together, after its end', async (t) => {
      const database = await withThings(engine, t)
      await database.unit(async () => {
        await add(database, 'a', 'one')
        await add(database, 'b', 'two')
        assert.equal((await all(database)).length, 2, 'the unit sees what it wrote')
        assert.deepEqual(await drained(database), [], 'a stream sees what is committed')
      })
      assert.equal((await all(database)).length, 2)
    })

    test('nothing of it is kept when it throws', async (t) => {
      const database = await withThings(engine, t)
      const work = database.unit(async () => {
        await add(database, 'a', 'one')
        await add(database, 'b', 'two')
        throw conflict()
      })
      await refused('conflict', work)
      assert.deepEqual(await all(database), [])
    })

    test('a statement by itself is part of it', async (t) => {
      const database = await withThings(engine, t)
      const work = database.unit(async () => {
        await database.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'one'})`)
        throw conflict()
      })
      await refused('conflict', work)
      assert.deepEqual(await all(database), [])
    })

    test('a write of it that fails is undone alone when the unit goes on', async (t) => {
      const database = await withThings(engine, t)
      await database.unit(async () => {
        await add(database, 'a', 'one')
        await refused('conflict', add(database, 'a', 'two'))
        await assert.rejects(
          database.write(async (tx) => {
            await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'b'}, ${'half'})`)
            throw new Error('changed its mind')
          }),
        )
        await add(database, 'c', 'three')
      })
      assert.deepEqual(
        (await all(database)).map(({ id }) => id),
        ['a', 'c'],
      )
    })

    test('writes asked for together take turns', async (t) => {
      const database = await withThings(engine, t)
      await database.unit(async () => {
        await Promise.all(['a', 'b', 'c'].map((id) => add(database, id, id)))
      })
      assert.equal((await all(database)).length, 3)
    })

    test('writes that nobody waits for are done when it ends', async (t) => {
      const database = await withThings(engine, t)
      await database.unit(async (unit) => {
        unit.last(async (tx) => void (await tx.run(sql`UPDATE thing SET title = ${'last'}`)))
        for (const id of ['a', 'b']) void add(database, id, id)
      })
      assert.deepEqual((await all(database)).map(titleOf), ['last', 'last'])
    })

    test('the writes of others are not part of it', async (t) => {
      const database = await withThings(engine, t)
      const wrote = Promise.withResolvers<void>()
      const goOn = Promise.withResolvers<void>()
      const unit = database.unit(async () => {
        await add(database, 'a', 'one')
        wrote.resolve()
        await goOn.promise
        throw conflict()
      })
      await wrote.promise
      const other = add(database, 'b', 'two')
      const seen = (await all(database)).map(({ id }) => id)
      assert.ok(!seen.includes('a'), 'nobody sees the unit')
      goOn.resolve()
      await refused('conflict', unit)
      await other
      assert.deepEqual(
        (await all(database)).map(({ id }) => id),
        ['b'],
      )
    })

    test('a unit in a unit is part of it', async (t) => {
      const database = await withThings(engine, t)
      const work = database.unit(async () => {
        await database.unit(() => add(database, 'a', 'one'))
        throw conflict()
      })
      await refused('conflict', work)
      assert.deepEqual(await all(database), [])
    })

    test('what comes before comes before the first write, and what comes last comes last', async (t) => {
      const database = await withThings(engine, t)
      const heard: string[] = []
      await database.unit(async (unit) => {
        unit.before(async (tx) => {
          heard.push('before')
          await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'before'}, ${'x'})`)
        })
        unit.last(async (tx) => {
          heard.push('last')
          await tx.run(sql`UPDATE thing SET title = ${'y'} WHERE id = ${'before'}`)
        })
        heard.push('work')
        await add(database, 'a', 'one')
        heard.push('written')
        await add(database, 'b', 'two')
      })
      assert.deepEqual(heard, ['work', 'before', 'written', 'last'])
      assert.deepEqual((await all(database)).map(titleOf), ['one', 'two', 'y'])
    })

    test('what comes before, or last, can refuse the unit', async (t) => {
      const database = await withThings(engine, t)
      const refusing = async () => {
        throw conflict()
      }
      const claimed = database.unit(async (unit) => {
        unit.before(refusing)
        await add(database, 'a', 'one').catch(() => undefined)
      })
      await refused('conflict', claimed)
      const forgotten = database.unit(async (unit) => {
        unit.last(refusing)
        await add(database, 'b', 'two')
      })
      await refused('conflict', forgotten)
      assert.deepEqual(await all(database), [])
    })

    test('what comes last opens a transaction where nothing was written, what comes before does not', async (t) => {
      const database = await withThings(engine, t)
      await database.unit(async (unit) => {
        unit.before(async (tx) => void (await tx.run(sql`INSERT INTO thing (id) VALUES (${'before'})`)))
      })
      assert.deepEqual(await all(database), [])
      await database.unit(async (unit) => {
        unit.last(async (tx) => void (await tx.run(sql`INSERT INTO thing (id) VALUES (${'last'})`)))
      })
      assert.deepEqual(
        (await all(database)).map(({ id }) => id),
        ['last'],
      )
    })

    test('many at once are all done', async (t) => {
      const database = await withThings(engine, t)
      const ids = Array.from({ length: 40 }, (_, index) => `unit${index}`)
      await Promise.all(
        ids.map((id) =>
          database.unit(async () => {
            await all(database)
            await add(database, id, 'one')
            await all(database)
            await add(database, `${id}b`, 'two')
          }),
        ),
      )
      assert.equal((await all(database)).length, 80)
    })
  })
}
