import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { conflict, Problem } from '#core/problem.ts'
import type { Database, Make } from './database.ts'
import type { Engine } from './engine.ts'
import { type Migration, migrate } from './migrate.ts'
import { empty, join, key, raw, sql } from './query.ts'
import { DataUnusable } from './unusable.ts'

export interface SuiteOptions {
  /** Why it cannot run here. */
  readonly skip?: string | false
}

/** What every engine keeps. `open` gives a new database without tables, and closes it when the test ends. */
export const databaseSuite = (
  name: string,
  open: (t: TestContext) => Promise<Engine>,
  options: SuiteOptions = {},
) => {
  const withThings = async (t: TestContext) => {
    const database = await open(t)
    await migrate(database, [things])
    return database
  }

  describe(`${name} keeps the promise of a database`, options, () => {
    test('what was written is read', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      assert.deepEqual(await all(database), [{ id: 'a', title: 'one', done: false, rank: 1 }])
    })

    test('every kind of value comes back as it went in', async (t) => {
      const database = await withThings(t)
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

    test('null and the empty string stay distinct', async (t) => {
      const database = await withThings(t)
      await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${null})`)
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'b'}, ${''})`)
      })
      const titles = await database.read(sql`SELECT title FROM thing ORDER BY id`, (row) => row.title)
      assert.deepEqual(titles, [null, ''])
    })

    test('queries are put together from parts', async (t) => {
      const database = await withThings(t)
      for (const id of ['a', 'b', 'c']) await add(database, id, `title ${id}`)
      const conditions = [sql`id > ${'a'}`, sql`title <> ${'title c'}`]
      const found = await database.read(
        sql`SELECT id FROM thing WHERE ${join(conditions, ' AND ')} ORDER BY ${raw('id')} ${empty} LIMIT ${10}`,
        id,
      )
      assert.deepEqual(found, ['b'])
    })

    test('a question mark in a text, a name or a comment is no parameter', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      const found = await database.read(
        sql`SELECT 'why?' AS "what?", id FROM thing WHERE id = ${'a'} -- really?`,
        (row) => row,
      )
      assert.deepEqual(found, [{ 'what?': 'why?', id: 'a' }])
    })

    test('a read cannot write', async (t) => {
      const database = await withThings(t)
      const statement = sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'one'})`
      await assert.rejects(database.read(statement, id))
      await assert.rejects(database.scan(statement, id))
      await assert.rejects(drained(database, statement))
      assert.deepEqual(await all(database), [])
    })

    test('a write says how many rows it changed', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      await add(database, 'b', 'two')
      assert.equal(await database.write((tx) => tx.run(sql`UPDATE thing SET title = ${'x'}`)), 2)
      assert.equal(await database.write((tx) => tx.run(sql`DELETE FROM thing WHERE id = ${'none'}`)), 0)
    })

    test('an insert that would be a duplicate changes nothing', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      const changed = await database.write((tx) =>
        tx.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'two'}) ON CONFLICT DO NOTHING`),
      )
      assert.equal(changed, 0)
    })

    test('a duplicate that was not foreseen is a conflict', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      await refused('conflict', add(database, 'a', 'two'))
      assert.deepEqual((await all(database)).map(titleOf), ['one'])
    })

    test('of two replacements of one version the second changes nothing', async (t) => {
      const database = await withThings(t)
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

    test('a write sees what it wrote itself', async (t) => {
      const database = await withThings(t)
      const seen = await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${key('a')}, ${'one'})`)
        const first = await tx.read(sql`SELECT title FROM thing WHERE id = ${key('a')}`, titleOf)
        await tx.run(sql`UPDATE thing SET title = ${'two'} WHERE id = ${key('a')}`)
        return [...first, ...(await tx.read(sql`SELECT title FROM thing WHERE id = ${key('a')}`, titleOf))]
      })
      assert.deepEqual(seen, ['one', 'two'])
    })

    test('nobody sees what is not committed', async (t) => {
      const database = await withThings(t)
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

    test('a write that throws leaves nothing behind', async (t) => {
      const database = await withThings(t)
      await assert.rejects(
        database.write(async (tx) => {
          await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'one'})`)
          throw new Error('changed its mind')
        }),
        /changed its mind/,
      )
      assert.deepEqual(await all(database), [])
    })

    test('of writes asked for together only the failing one is undone', async (t) => {
      const database = await withThings(t)
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

    test('a statement that fails fails the write, also where the work does not look', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      const work = database.write(async (tx) => {
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'b'}, ${'two'})`)
        await tx.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'two'})`).catch(() => undefined)
      })
      await refused('conflict', work)
      assert.deepEqual((await all(database)).map(titleOf), ['one'])
    })

    test('a transaction is of no use after its end', async (t) => {
      const database = await withThings(t)
      const tx = await database.write(async (tx) => tx)
      await assert.rejects(tx.run(sql`INSERT INTO thing (id, title) VALUES (${'a'}, ${'late'})`))
      assert.deepEqual(await all(database), [])
    })

    test('a wrong statement is an error, and the next one is answered', async (t) => {
      const database = await withThings(t)
      await assert.rejects(database.read(sql`SELECT nonsense FROM nowhere`, id))
      await assert.rejects(database.scan(sql`SELECT nonsense FROM nowhere`, id))
      await assert.rejects(drained(database, sql`SELECT nonsense FROM nowhere`))
      await assert.rejects(database.write((tx) => tx.run(sql`INSERT INTO nowhere VALUES (${1})`)))
      await add(database, 'a', 'one')
      assert.equal((await all(database)).length, 1)
    })

    test('a NUL in a text is an answer or a refusal, never an accident', async (t) => {
      const database = await withThings(t)
      const outcome = await add(database, 'a', 'be\u0000fore').catch((error: unknown) => error)
      if (outcome !== undefined) return assert.equal((outcome as Problem).kind, 'bodyUnreadable')
      assert.deepEqual((await all(database)).map(titleOf), ['be\u0000fore'])
    })

    test('the state differs when what is committed differs, and only then', async (t) => {
      const database = await withThings(t)
      const before = await database.state()
      assert.equal(await database.state(), before)
      await add(database, 'a', 'one')
      const after = await database.state()
      assert.notEqual(after, before)
      await all(database)
      await refused('conflict', add(database, 'a', 'two'))
      await database.write((tx) => tx.run(sql`DELETE FROM thing WHERE id = ${'none'}`))
      if (database.engine === 'sqlite') assert.equal(await database.state(), after)
      await database.write((tx) => tx.run(sql`DELETE FROM thing WHERE id = ${key('a')}`))
      assert.notEqual(await database.state(), after)
    })

    test('a database that works answers a ping', async (t) => {
      await (await open(t)).ping()
    })
  })

  describe(`${name} forgets what a commit made old`, options, () => {
    const byId = sql`SELECT id, title, done, rank FROM thing WHERE id = ${key('a')}`
    const rename = (database: Database, title: string) =>
      database.write((tx) => tx.run(sql`UPDATE thing SET title = ${title} WHERE id = ${key('a')}`))

    test('a record read by its key is read anew after a write that names the key', async (t) => {
      const database = await withThings(t)
      assert.deepEqual(await database.read(byId, thing), [])
      await database.write((tx) => tx.run(sql`INSERT INTO thing (id, title) VALUES (${key('a')}, ${'one'})`))
      assert.deepEqual((await database.read(byId, thing)).map(titleOf), ['one'])
      await rename(database, 'two')
      assert.deepEqual((await database.read(byId, thing)).map(titleOf), ['two'])
    })

    test('a record read by its key is read anew after a write that names no key', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      await database.read(byId, thing)
      await database.write((tx) => tx.run(sql`UPDATE thing SET title = ${'two'}`))
      assert.deepEqual((await database.read(byId, thing)).map(titleOf), ['two'])
    })

    test('a record read by its key is read anew after a write that names several keys', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      await add(database, 'b', 'one')
      await database.read(byId, thing)
      await database.write((tx) =>
        tx.run(sql`UPDATE thing SET title = ${'two'} WHERE ${sql`id = ${key('b')}`} OR id = ${key('a')}`),
      )
      assert.deepEqual((await database.read(byId, thing)).map(titleOf), ['two'])
    })

    test('a record read by its key is read anew after a statement that writes and returns rows', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      await database.read(byId, thing)
      await database.write((tx) =>
        tx.read(sql`UPDATE thing SET title = ${'two'} WHERE id = ${key('a')} RETURNING id`, id),
      )
      assert.deepEqual((await database.read(byId, thing)).map(titleOf), ['two'])
    })

    test('lists are read anew after any write', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      await all(database)
      await database.scan(everything, thing)
      await drained(database)
      await rename(database, 'two')
      assert.deepEqual((await all(database)).map(titleOf), ['two'])
      assert.deepEqual((await database.scan(everything, thing)).map(titleOf), ['two'])
      assert.deepEqual((await drained(database)).map(titleOf), ['two'])
    })

    test('what a transaction read before it was rolled back is not remembered', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', 'one')
      await database
        .write(async (tx) => {
          await tx.run(sql`UPDATE thing SET title = ${'two'} WHERE id = ${key('a')}`)
          await tx.read(byId, thing)
          throw conflict()
        })
        .catch(() => undefined)
      assert.deepEqual((await database.read(byId, thing)).map(titleOf), ['one'])
    })

    test('a reader that waits for nobody never sees an older state than one before', async (t) => {
      const database = await withThings(t)
      await add(database, 'a', '0')
      let writing = true
      let last = 0
      const watch = async () => {
        for (let seen = 0; writing; await sleep(0)) {
          const confirmed = last
          const [title = -1] = await database.read(byId, (row) => Number(row.title))
          assert.ok(title >= seen, `${title} after ${seen}`)
          assert.ok(title >= confirmed, `${title}, but ${confirmed} was confirmed`)
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

  describe(`${name} streams`, options, () => {
    const many = 3_210
    const withMany = async (t: TestContext) => {
      const database = await withThings(t)
      await database.write((tx) =>
        tx.run(sql`
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${raw(String(many))})
          INSERT INTO thing (id, title, rank) SELECT 'id' || i, 'title ' || i, i FROM n`),
      )
      return database
    }

    test('every row once, in order', async (t) => {
      const database = await withMany(t)
      const ranks = (await drained(database)).map(({ rank }) => rank)
      assert.deepEqual(
        ranks,
        Array.from({ length: many }, (_, index) => index + 1),
      )
    })

    test('nothing, when there is nothing', async (t) => {
      assert.deepEqual(await drained(await withThings(t)), [])
    })

    test('one snapshot, whatever is written meanwhile', async (t) => {
      const database = await withMany(t)
      let count = 0
      for await (const batch of database.stream(everything, thing)) {
        if (count === 0) await database.write((tx) => tx.run(sql`DELETE FROM thing WHERE rank > ${10}`))
        count += batch.length
      }
      assert.equal(count, many)
      assert.equal((await drained(database)).length, 10)
    })

    test('a reader may leave early, and many streams are read at once', async (t) => {
      const database = await withMany(t)
      for (let round = 0; round < 50; round++) {
        for await (const batch of database.stream(everything, thing)) {
          assert.ok(batch.length > 0)
          break
        }
      }
      const counts = await Promise.all(
        Array.from({ length: 40 }, async () => (await drained(database)).length),
      )
      assert.deepEqual(new Set(counts), new Set([many]))
    })

    test('a reader that throws ends its stream', async (t) => {
      const database = await withMany(t)
      const read = async () => {
        for await (const _ of database.stream(everything, thing)) throw new Error('the socket is gone')
      }
      for (let round = 0; round < 50; round++) await assert.rejects(read, /the socket is gone/)
      assert.equal((await drained(database)).length, many)
    })
  })

  describe(`${name} gathers the writes of a unit in one transaction`, options, () => {
    test('they are seen together, after its end', async (t) => {
      const database = await withThings(t)
      await database.unit(async () => {
        await add(database, 'a', 'one')
        await add(database, 'b', 'two')
        assert.equal((await all(database)).length, 2, 'the unit sees what it wrote')
        assert.deepEqual(await drained(database), [], 'a stream sees what is committed')
      })
      assert.equal((await all(database)).length, 2)
    })

    test('nothing of it is kept when it throws', async (t) => {
      const database = await withThings(t)
      const work = database.unit(async () => {
        await add(database, 'a', 'one')
        await add(database, 'b', 'two')
        throw conflict()
      })
      await refused('conflict', work)
      assert.deepEqual(await all(database), [])
    })

    test('a write of it that fails is undone alone when the unit goes on', async (t) => {
      const database = await withThings(t)
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
      const database = await withThings(t)
      await database.unit(async () => {
        await Promise.all(['a', 'b', 'c'].map((id) => add(database, id, id)))
      })
      assert.equal((await all(database)).length, 3)
    })

    test('the writes of others are not part of it', async (t) => {
      const database = await withThings(t)
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
      const database = await withThings(t)
      const work = database.unit(async () => {
        await database.unit(() => add(database, 'a', 'one'))
        throw conflict()
      })
      await refused('conflict', work)
      assert.deepEqual(await all(database), [])
    })

    test('what comes before comes before the first write, and what comes last comes last', async (t) => {
      const database = await withThings(t)
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
      const database = await withThings(t)
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
      const database = await withThings(t)
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
      const database = await withThings(t)
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

  describe(`${name} tells listeners`, options, () => {
    const listening = async (database: Database) => {
      const heard: string[] = []
      const stop = await database.listen('things', {
        heard: (payload) => heard.push(payload),
        missed: () => undefined,
      })
      return { heard, stop }
    }

    test('what was published, when it is committed', async (t) => {
      const database = await withThings(t)
      const { heard } = await listening(database)
      await database.write(async (tx) => {
        await tx.publish('things', 'a')
        await sleep(20)
        assert.deepEqual(heard, [])
      })
      await until(() => heard.length === 1)
      assert.deepEqual(heard, ['a'])
    })

    test('nothing of what was rolled back, of another topic, or after they stopped', async (t) => {
      const database = await withThings(t)
      const { heard, stop } = await listening(database)
      await database
        .write(async (tx) => {
          await tx.publish('things', 'lost')
          throw conflict()
        })
        .catch(() => undefined)
      await database.unit(async () => {
        await database
          .write(async (tx) => {
            await tx.publish('things', 'lost too')
            throw conflict()
          })
          .catch(() => undefined)
        await add(database, 'a', 'one')
      })
      await database.write((tx) => tx.publish('others', 'else'))
      await database.write((tx) => tx.publish('things', 'last'))
      await until(() => heard.length > 0)
      await stop()
      await database.write((tx) => tx.publish('things', 'after'))
      await sleep(20)
      assert.deepEqual(heard, ['last'])
    })
  })

  describe(`${name} is migrated`, options, () => {
    const more: Migration = {
      room: 'thing',
      name: '002-more',
      text: "ALTER TABLE thing ADD COLUMN more TEXT; UPDATE thing SET more = 'yes';",
    }

    test('each migration runs once', async (t) => {
      const database = await open(t)
      const ran: string[] = []
      const progress = (migration: Migration) => ran.push(migration.name)
      await migrate(database, [things], { progress })
      await add(database, 'a', 'one')
      await database.read(sql`SELECT * FROM thing`, (row) => row)
      await migrate(database, [things, more], { progress })
      await migrate(database, [things, more], { progress })
      assert.deepEqual(ran, ['001-things', '002-more'])
      assert.deepEqual(await database.read(sql`SELECT * FROM thing`, (row) => row.more), ['yes'])
    })

    test('those who start together run each once', async (t) => {
      const database = await open(t)
      const ran: string[] = []
      const progress = (migration: Migration) => ran.push(migration.name)
      await Promise.all([1, 2, 3].map(() => migrate(database, [things, more], { progress })))
      assert.deepEqual(ran, ['001-things', '002-more'])
    })

    test('one that fails changes nothing', async (t) => {
      const database = await withThings(t)
      const broken = {
        room: 'thing',
        name: '002-broken',
        text: 'CREATE TABLE half (id TEXT); CREATE NONSENSE;',
      }
      await assert.rejects(migrate(database, [things, broken]))
      await migrate(database, [things, { ...broken, text: 'CREATE TABLE half (id TEXT);' }])
      await database.read(sql`SELECT * FROM half`, (row) => row)
    })

    test('a database of a later program, or of another, is refused', async (t) => {
      const database = await open(t)
      await migrate(database, [things, more])
      const isNewer = (error: unknown) => error instanceof DataUnusable && error.reason === 'newerSchema'
      await assert.rejects(migrate(database, [things]), isNewer)
      await assert.rejects(migrate(database, [things, { ...more, text: 'SELECT 1;' }]), isNewer)
    })
  })
}

const things: Migration = {
  room: 'thing',
  name: '001-things',
  text: `
    CREATE TABLE thing (
      id TEXT PRIMARY KEY,
      title TEXT,
      done BOOLEAN NOT NULL DEFAULT FALSE,
      rank BIGINT NOT NULL DEFAULT 1,
      bytes ${'BYTEA'}
    );
    CREATE INDEX thing_rank ON thing (rank);`,
}

interface Thing {
  readonly id: string
  readonly title: string | null
  readonly done: boolean
  readonly rank: number
}

const thing: Make<Thing> = (row) => ({
  id: String(row.id),
  title: row.title as string | null,
  done: Boolean(row.done),
  rank: Number(row.rank),
})

const id: Make<string> = (row) => String(row.id)

const titleOf = ({ title }: { readonly title?: unknown }) => title

const everything = sql`SELECT id, title, done, rank FROM thing ORDER BY rank, id`

const all = (database: Database) => database.read(everything, thing)

const add = async (database: Database, id: string, title: string): Promise<void> => {
  await database.write((tx) => tx.run(sql`INSERT INTO thing (id, title) VALUES (${key(id)}, ${title})`))
}

const drained = async (database: Database, query = everything) => {
  const rows: Thing[] = []
  for await (const batch of database.stream(query, thing)) rows.push(...batch)
  return rows
}

const refused = (kind: Problem['kind'], work: Promise<unknown>) =>
  assert.rejects(work, (error) => error instanceof Problem && error.kind === kind)

const until = async (holds: () => boolean) => {
  for (let waits = 0; !holds(); waits++) {
    assert.ok(waits < 500, 'it never happened')
    await sleep(10)
  }
}
