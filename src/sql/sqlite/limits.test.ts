import assert from 'node:assert/strict'
import { closeSync, openSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Row } from '#sql/database.ts'
import { listing } from '#sql/listing.ts'
import { key, raw, sql } from '#sql/query.ts'
import {
  add,
  addMany,
  blockThisThread,
  filledFile,
  firstBatch,
  id,
  ids,
  kindOf,
  newPath,
  openForTest,
  refused,
  withNotes,
} from '#test/sqlite-notes.ts'

const noteSelection = {
  select: raw('SELECT id'),
  from: raw('note'),
  count: raw('SELECT count(*) AS total FROM note'),
  where: sql`text = ${'none'}`,
  position: 'id',
  isIndexed: false,
}

/** Overwrites the pages of all tables except the first page, which has their names. */
const damage = (path: string) => {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(20 * 4_096, 0xff), 0, 20 * 4_096, 4_096)
  closeSync(file)
}

describe('SQLite limits', () => {
  test('a write beyond the queue limit is refused as overload', async (t) => {
    const database = await withNotes(t, { limits: { queuedWrites: 3 } })
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => add(database, id)))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? kindOf(outcome.reason) : 'done')),
      ['done', 'done', 'done', 'overloaded'],
    )
  })

  test('a stream beyond the limit is refused as overload', async (t) => {
    const database = await withNotes(t, { limits: { streams: 1, maxWaiting: 0 } })
    await addMany(database)
    for await (const _ of database.stream(sql`SELECT * FROM note`, id)) {
      await refused('overloaded', firstBatch(database))
      break
    }
    await firstBatch(database)
  })

  test('a page and its count use one scan slot, and a page beyond the limit is refused', async (t) => {
    const database = await withNotes(t, { limits: { threads: 1, maxWaiting: 1 } })
    const toItem = (row: Row) => ({ id: id(row) })
    const lists = listing(database, { toItem, select: () => noteSelection, sortable: {}, position: 'id' })
    const page = () => lists.page({}, { number: 0, size: 1, sort: [] })
    const outcomes = await Promise.allSettled([page(), page(), page()])
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? kindOf(outcome.reason) : 'done')),
      ['done', 'done', 'overloaded'],
    )
  })

  test('scans that wait while the database closes are refused, and so are later scans', async (t) => {
    const database = await withNotes(t, { limits: { threads: 1 } })
    const scan = (number: number) => database.scan(sql`SELECT ${number} AS id`, id)
    const isClosed = { cause: new Error('the database is closed') }
    const running = refused('storageUnavailable', scan(1))
    const waits = assert.rejects(scan(2), isClosed)
    await database.close()
    await Promise.all([running, waits])
    await assert.rejects(scan(3), isClosed)
  })

  test('a stream whose reader pauses too long is ended', async (t) => {
    const database = await withNotes(t, { limits: { streams: 1, pauseMs: 20 } })
    await addMany(database)
    const slow = database.stream(sql`SELECT * FROM note`, id)[Symbol.asyncIterator]()
    await slow.next()
    await firstBatch(database)
    await refused('storageUnavailable', slow.next())
  })

  test('a stream with a slow reader is ended only if another stream waits', async (t) => {
    const database = await withNotes(t, { limits: { streams: 1, lagMs: 20, minRowsPerSecond: 1e6 } })
    await addMany(database)
    const readSlowly = async () => {
      for await (const _ of database.stream(sql`SELECT * FROM note`, id)) await sleep(5)
    }
    await readSlowly()
    const slow = readSlowly()
    await Promise.all([refused('storageUnavailable', slow), firstBatch(database)])
  })

  test('an idle transaction is refused, and other writes continue', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 20 } })
    const deadlocked = database.write(async (tx) => {
      await tx.run(sql`INSERT INTO note (id) VALUES (${'outer'})`)
      await add(database, 'inner')
    })
    await refused('storageUnavailable', deadlocked)
    await add(database, 'later')
    assert.deepEqual(await ids(database), ['inner', 'later'])
  })

  test('a long transaction is not timed out while it runs statements', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 100 } })
    await database.write(async (tx) => {
      for (const id of ['a', 'b', 'c', 'd']) {
        blockThisThread(50)
        await tx.run(sql`INSERT INTO note (id) VALUES (${id})`)
      }
      // Lets overdue timers run first.
      await sleep(1)
    })
    assert.deepEqual(await ids(database), ['a', 'b', 'c', 'd'])
  })

  test('a unit of work that ends after its timeout does not disturb other writes', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 20 } })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const goOn = Promise.withResolvers<void>()
    const late = database.unit(() =>
      database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'late'})`)
        t.mock.timers.tick(20)
        await goOn.promise
        throw new Error('changed its mind')
      }),
    )
    const other = database.unit(async () => {
      await add(database, 'first')
      await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'second'})`)
        goOn.resolve()
        await turn()
        await tx.run(sql`INSERT INTO note (id) VALUES (${'third'})`)
      })
    })
    await Promise.all([other, assert.rejects(late, /changed its mind/)])
    assert.deepEqual(await ids(database), ['first', 'second', 'third'])
  })

  test('a unit of work whose last transaction stays idle is rolled back completely, and other writes are not', async (t) => {
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

  test('a whole group is refused if one of its writes cannot be rolled back alone', async (t) => {
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

  test('a full disk refuses writes and serves reads until it has room again', async (t) => {
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
    assert.deepEqual(failures, ['full', 'full'])
  })

  for (const readOnly of [false, true])
    test(`each read of a damaged file is counted${readOnly ? ', also if it is opened read-only' : ''}`, async (t) => {
      const path = await filledFile(t)
      damage(path)
      const failures: string[] = []
      const observe = { storageFailed: (kind: string) => failures.push(kind) }
      const database = await openForTest(t, `sqlite:${path}`, { observe, readOnly })
      await refused('storageUnavailable', database.read(sql`SELECT * FROM note`, id))
      await refused('storageUnavailable', database.scan(sql`SELECT * FROM note`, id))
      await refused('storageUnavailable', firstBatch(database))
      assert.deepEqual(failures, ['corrupt', 'corrupt', 'corrupt'])
    })

  test('a whole group is refused if SQLite rolled back its transaction', async (t) => {
    const database = await withNotes(t)
    const undoing = () => database.write((tx) => tx.run(raw('ROLLBACK')).catch(() => undefined))
    for (const group of [[add(database, 'a'), undoing(), add(database, 'b')], [undoing()]])
      for (const outcome of await Promise.allSettled(group))
        assert.equal(outcome.status === 'rejected' && kindOf(outcome.reason), 'storageUnavailable')
    await add(database, 'c')
    assert.deepEqual(await ids(database), ['c'])
  })

  test('a write waits up to busyMs for the lock of another program, while reads continue', async (t) => {
    const path = newPath()
    const database = await withNotes(t, { limits: { busyMs: 100 } }, `sqlite:${path}`)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const stoppedMs = performance.now()
    const clock = t.mock.method(performance, 'now', () => stoppedMs)
    const waitingWrite = add(database, 'a')
    await turn()
    assert.deepEqual(await ids(database), [], 'reads go on')
    other.exec('ROLLBACK')
    await waitingWrite
    clock.mock.restore()
    other.exec('BEGIN IMMEDIATE')
    await refused('storageUnavailable', add(database, 'b'))
    other.close()
    await add(database, 'c')
    assert.deepEqual(await ids(database), ['a', 'c'])
  })

  test('queued writes wait together for the lock of another program, not one after another', async (t) => {
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
