import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { conflict } from '#core/problem.ts'
import type { Transaction } from '#sql/database.ts'
import { sql } from '#sql/query.ts'
import { add, all, drained, type Opened, refused, titleOf, withThings } from './things.ts'

const insert = async (tx: Transaction, id: string) => {
  await tx.run(sql`INSERT INTO thing (id, title) VALUES (${id}, ${'x'})`)
}

export const gathersUnits = (engine: Opened) => {
  describe(`${engine.name} gathers the writes of a unit in one transaction`, { skip: engine.skip }, () => {
    test('the writes of a unit become visible together, after the unit', async (t) => {
      const database = await withThings(engine, t)
      await database.unit(async () => {
        await add(database, 'a', 'one')
        await add(database, 'b', 'two')
        assert.equal((await all(database)).length, 2, 'the unit sees its own writes')
        assert.deepEqual(await drained(database), [], 'a stream sees only what is committed')
      })
      assert.equal((await all(database)).length, 2)
    })

    test('a statement outside a transaction is part of the unit', async (t) => {
      const database = await withThings(engine, t)
      const work = database.unit(async () => {
        await database.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'one'})`)
        throw conflict()
      })
      await refused('conflict', work)
      assert.deepEqual(await all(database), [])
    })

    test('a failed write is rolled back alone if the unit continues', async (t) => {
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

    test('the writes of an all-or-nothing unit run concurrently', async (t) => {
      const database = await withThings(engine, t)
      const secondBegan = Promise.withResolvers<void>()
      const work = async () => {
        const first = database.write((tx) => secondBegan.promise.then(() => insert(tx, 'a')))
        const second = database.write(async (tx) => {
          secondBegan.resolve()
          await insert(tx, 'b')
        })
        await Promise.all([first, second])
      }
      await database.unit(work, { isAllOrNothing: true })
      assert.equal((await all(database)).length, 2)
    })

    test('an all-or-nothing unit fails if one of its writes failed, even if the unit continues', async (t) => {
      const database = await withThings(engine, t)
      const work = async () => {
        await add(database, 'a', 'one')
        await assert.rejects(database.write(() => Promise.reject(conflict())))
        await add(database, 'b', 'two')
      }
      await refused('conflict', database.unit(work, { isAllOrNothing: true }))
      assert.deepEqual(await all(database), [])
    })

    test('a write that throws undefined is rolled back', async (t) => {
      const database = await withThings(engine, t)
      const refused = await database
        .write(async (tx) => {
          await insert(tx, 'a')
          throw undefined
        })
        .then(
          () => false,
          () => true,
        )
      assert.deepEqual([refused, await all(database)], [true, []])
    })

    test('after a failed write the unit sees no trace of it, and can continue', async (t) => {
      const database = await withThings(engine, t)
      const half = database.write.bind(database, async (tx) => {
        await insert(tx, 'half')
        throw new Error('changed its mind')
      })
      await database.unit(async () => {
        await assert.rejects(half())
        if ((await all(database)).length > 0) throw conflict()
        await add(database, 'a', 'one')
      })
      assert.deepEqual((await all(database)).map(titleOf), ['one'])
    })

    test('writes that nobody awaits are completed before beforeCommit()', async (t) => {
      const database = await withThings(engine, t)
      await database.unit(async (unit) => {
        unit.beforeCommit(async (tx) => void (await tx.run(sql`UPDATE thing SET title = ${'last'}`)))
        for (const id of ['a', 'b']) void add(database, id, id)
      })
      assert.deepEqual((await all(database)).map(titleOf), ['last', 'last'])
    })

    test('other writes are not part of the unit', async (t) => {
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
      assert.ok(!seen.includes('a'), 'nobody else sees the unit')
      goOn.resolve()
      await refused('conflict', unit)
      await other
      assert.deepEqual(
        (await all(database)).map(({ id }) => id),
        ['b'],
      )
    })

    test('a nested unit is part of the outer one', async (t) => {
      const database = await withThings(engine, t)
      const work = database.unit(async () => {
        await database.unit(() => add(database, 'a', 'one'))
        throw conflict()
      })
      await refused('conflict', work)
      assert.deepEqual(await all(database), [])
    })

    test('a nested unit that throws is rolled back alone, with its beforeFirstWrite() and beforeCommit(), and sees earlier writes', async (t) => {
      const database = await withThings(engine, t)
      const ids = async () => (await all(database)).map(({ id }) => id)
      const part = (id: string, fails: boolean) =>
        database.unit(async (unit) => {
          unit.beforeFirstWrite((tx) => insert(tx, `${id} before`))
          unit.beforeCommit((tx) => insert(tx, `${id} last`))
          const seen = await ids()
          await add(database, id, 'one')
          await add(database, `${id} too`, 'two')
          assert.equal((await ids()).length, seen.length + 3)
          if (fails) throw conflict()
          return seen
        })
      await database.unit(async () => {
        await add(database, 'a', 'one')
        await refused('conflict', part('b', true))
        assert.deepEqual(await part('c', false), ['a'])
        await refused('conflict', part('c', false))
        await add(database, 'd', 'one')
      })
      assert.deepEqual(await ids(), ['a', 'c', 'c before', 'c last', 'c too', 'd'])
    })

    test('beforeFirstWrite() runs before the first write, and beforeCommit() after all writes', async (t) => {
      const database = await withThings(engine, t)
      const events: string[] = []
      await database.unit(async (unit) => {
        unit.beforeFirstWrite(async (tx) => {
          events.push('before')
          await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'before'}, ${'x'})`)
        })
        unit.beforeCommit(async (tx) => {
          events.push('last')
          await tx.run(sql`UPDATE thing SET title = ${'y'} WHERE id = ${'before'}`)
        })
        events.push('work')
        await add(database, 'a', 'one')
        events.push('written')
        await add(database, 'b', 'two')
      })
      assert.deepEqual(events, ['work', 'before', 'written', 'last'])
      assert.deepEqual((await all(database)).map(titleOf), ['one', 'two', 'y'])
    })

    test('an error in beforeFirstWrite() or beforeCommit() fails the unit', async (t) => {
      const database = await withThings(engine, t)
      const refusing = async () => {
        throw conflict()
      }
      const refusedBefore = database.unit(async (unit) => {
        unit.beforeFirstWrite(refusing)
        await add(database, 'a', 'one').catch(() => undefined)
      })
      await refused('conflict', refusedBefore)
      const refusedLast = database.unit(async (unit) => {
        unit.beforeCommit(refusing)
        await add(database, 'b', 'two')
      })
      await refused('conflict', refusedLast)
      assert.deepEqual(await all(database), [])
    })

    test('without a write, beforeCommit() still runs and beforeFirstWrite() does not', async (t) => {
      const database = await withThings(engine, t)
      await database.unit(async (unit) => {
        unit.beforeFirstWrite(
          async (tx) => void (await tx.run(sql`INSERT INTO thing (id) VALUES (${'before'})`)),
        )
      })
      assert.deepEqual(await all(database), [])
      await database.unit(async (unit) => {
        unit.beforeCommit(async (tx) => void (await tx.run(sql`INSERT INTO thing (id) VALUES (${'last'})`)))
      })
      assert.deepEqual(
        (await all(database)).map(({ id }) => id),
        ['last'],
      )
    })

    test('many concurrent units are all committed', async (t) => {
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
