import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { listing } from '#sql/listing.ts'
import { key, raw, sql } from '#sql/query.ts'
import { add, addMany, firstBatch, id, ids, kindOf, newPath, refused, withNotes } from './notes.suite.ts'

const aNote = {
  select: raw('SELECT id'),
  from: raw('note'),
  count: raw('SELECT count(*) AS total FROM note'),
  where: sql`text = ${'none'}`,
  position: 'id',
  isIndexed: false,
}

describe('SQLite refuses in time', () => {
  test('more writes than may wait', async (t) => {
    const database = await withNotes(t, { limits: { queuedWrites: 3 } })
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => add(database, id)))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? kindOf(outcome.reason) : 'done')),
      ['done', 'done', 'done', 'overloaded'],
    )
  })

  test('more streams than may be open', async (t) => {
    const database = await withNotes(t, { limits: { streams: 1, maxWaiting: 0 } })
    await addMany(database)
    for await (const _ of database.stream(sql`SELECT * FROM note`, id)) {
      await refused('overloaded', firstBatch(database))
      break
    }
    await firstBatch(database)
  })

  test('more scans than have a place: to find a page and to count the rest takes one', async (t) => {
    const database = await withNotes(t, { limits: { threads: 1, maxWaiting: 1 } })
    const lists = listing(database, { make: id, sortable: {}, valueOf: (id) => id, positionOf: (id) => id })
    const page = () => lists.page(aNote, { number: 0, size: 1, sort: [] })
    const outcomes = await Promise.allSettled([page(), page(), page()])
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? kindOf(outcome.reason) : 'done')),
      ['done', 'done', 'overloaded'],
    )
  })

  test('a scan that waits when it is closed, or comes behind, before it opens the file', async (t) => {
    const database = await withNotes(t, { limits: { threads: 1 } })
    const scan = (number: number) => database.scan(sql`SELECT ${number} AS id`, id)
    const isClosed = { cause: new Error('the database is closed') }
    const begun = refused('storageUnavailable', scan(1))
    const waits = assert.rejects(scan(2), isClosed)
    await database.close()
    await Promise.all([begun, waits])
    await assert.rejects(scan(3), isClosed)
  })

  test('to wait any longer for the reader of a stream, who holds the log', async (t) => {
    const database = await withNotes(t, { limits: { streams: 1, pauseMs: 20 } })
    await addMany(database)
    const slow = database.stream(sql`SELECT * FROM note`, id)[Symbol.asyncIterator]()
    await slow.next()
    await firstBatch(database)
    await refused('storageUnavailable', slow.next())
  })

  test('to wait for a reader that takes little at a time, while others wait for its place', async (t) => {
    const database = await withNotes(t, { limits: { streams: 1, lagMs: 20, minRowsPerSecond: 1e6 } })
    await addMany(database)
    const drip = async () => {
      for await (const _ of database.stream(sql`SELECT * FROM note`, id)) await sleep(5)
    }
    await drip()
    const slow = drip()
    await Promise.all([refused('storageUnavailable', slow), firstBatch(database)])
  })

  test('a work that holds the lane and says nothing, and goes on with the others', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 20 } })
    const deadlocked = database.write(async (tx) => {
      await tx.run(sql`INSERT INTO note (id) VALUES (${'outer'})`)
      await add(database, 'inner')
    })
    await refused('storageUnavailable', deadlocked)
    await add(database, 'later')
    assert.deepEqual(await ids(database), ['inner', 'later'])
  })

  test('no work that says a statement now and then, however long it lasts', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 100 } })
    await database.write(async (tx) => {
      for (const id of ['a', 'b', 'c', 'd']) {
        await tx.run(sql`INSERT INTO note (id) VALUES (${id})`)
        await sleep(50)
      }
    })
    assert.deepEqual(await ids(database), ['a', 'b', 'c', 'd'])
  })

  test('a part of a unit that ends too late, without harm to whoever writes then', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 20 } })
    const goOn = Promise.withResolvers<void>()
    const late = database.unit(() =>
      database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'late'})`)
        await goOn.promise
        throw new Error('changed its mind')
      }),
    )
    const other = database.unit(async () => {
      await add(database, 'first')
      await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'second'})`)
        goOn.resolve()
        await assert.rejects(late, /changed its mind/)
        await tx.run(sql`INSERT INTO note (id) VALUES (${'third'})`)
      })
    })
    await other
    assert.deepEqual(await ids(database), ['first', 'second', 'third'])
  })

  test('the whole of a unit whose last part says nothing more, and none of those beside it', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 20 } })
    const goOn = Promise.withResolvers<void>()
    const half = database.unit(async () => {
      await add(database, 'first')
      await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'second'})`)
        await goOn.promise
      })
    })
    await add(database, 'beside')
    goOn.resolve()
    await refused('storageUnavailable', half)
    assert.deepEqual(await ids(database), ['beside'])
  })

  test('all writes of a group where one cannot be undone alone', async (t) => {
    const database = await withNotes(t)
    const stuck = database.write(async (tx) => {
      await tx.run(sql`INSERT INTO note (id) VALUES (${'a'})`)
      await tx.run(raw('RELEASE write'))
      throw new Error('changed its mind')
    })
    await Promise.all([assert.rejects(stuck), refused('storageUnavailable', add(database, 'b'))])
    assert.deepEqual(await ids(database), [])
    await add(database, 'c')
  })

  test('writes for which there is no room, while it reads, and writes again when there is', async (t) => {
    const failures: string[] = []
    const database = await withNotes(t, { observe: { storageFailed: (kind) => failures.push(kind) } })
    await add(database, 'a')
    await database.alter((tx) => tx.exec('PRAGMA max_page_count = 1'))
    const outcomes = await Promise.allSettled([
      add(database, 'big', 'x'.repeat(100_000)),
      database.write((tx) => tx.run(sql`UPDATE note SET text = ${'y'} WHERE id = ${key('a')}`)),
    ])
    assert.equal(kindOf((outcomes[0] as PromiseRejectedResult).reason), 'storageUnavailable')
    await refused('storageUnavailable', add(database, 'big', 'x'.repeat(100_000)))
    assert.deepEqual(await ids(database), ['a'])
    await database.alter((tx) => tx.exec('PRAGMA max_page_count = 100000'))
    await add(database, 'big', 'x'.repeat(100_000))
    assert.deepEqual(await ids(database), ['a', 'big'])
    assert.ok(failures.length > 0 && failures.every((kind) => kind === 'full'), String(failures))
  })

  test('all writes of a group when the storage undid all of them', async (t) => {
    const database = await withNotes(t)
    const undoing = () => database.write((tx) => tx.run(raw('ROLLBACK')).catch(() => undefined))
    for (const group of [[add(database, 'a'), undoing(), add(database, 'b')], [undoing()]])
      for (const outcome of await Promise.allSettled(group))
        assert.equal(outcome.status === 'rejected' && kindOf(outcome.reason), 'storageUnavailable')
    await add(database, 'c')
    assert.deepEqual(await ids(database), ['c'])
  })

  test('to wait without end for a lock of another program, but waits a while', async (t) => {
    const path = newPath()
    const database = await withNotes(t, { limits: { busyMs: 100 } }, `sqlite:${path}`)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const patient = add(database, 'a')
    await turn()
    assert.deepEqual(await ids(database), [], 'reads go on')
    other.exec('ROLLBACK')
    await patient
    other.exec('BEGIN IMMEDIATE')
    await refused('storageUnavailable', add(database, 'b'))
    other.close()
    await add(database, 'c')
    assert.deepEqual(await ids(database), ['a', 'c'])
  })

  test('to let everybody wait for such a lock one after another', async (t) => {
    const path = newPath()
    const failures: string[] = []
    const observe = { storageFailed: (kind: string) => failures.push(kind) }
    const limits = { busyMs: 100, groupedWrites: 2 }
    const database = await withNotes(t, { observe, limits }, `sqlite:${path}`)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const all = Array.from({ length: 20 }, (_, n) => refused('storageUnavailable', add(database, `${n}`)))
    await Promise.all(all)
    other.close()
    assert.deepEqual(failures, ['busy'])
    await add(database, 'a')
    assert.deepEqual(await ids(database), ['a'])
  })
})
