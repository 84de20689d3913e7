import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Row } from '#sql/database.ts'
import { migrate } from '#sql/migrate.ts'
import { openDatabase } from '#sql/open.ts'
import { key, lookup, raw, sql } from '#sql/query.ts'
import { administer, freshDatabase, noPostgres } from './postgres.ts'
import {
  failingCommits,
  migration,
  notes,
  openForTest,
  ownServer,
  refused,
  until,
  waitForStandby,
  withNotes,
} from './postgres-notes.ts'

const skip = await noPostgres()

const insert = (id: string) => sql`INSERT INTO note (id) VALUES (${key(id)})`
const count = (id: string) => sql`UPDATE note SET count = count + 1 WHERE id = ${key(id)}`
const countFrom = (id: string, from: number) =>
  sql`UPDATE note SET count = ${from + 1} WHERE id = ${key(id)} AND count = ${from}`
const ids = (from: string, size: number) =>
  Array.from({ length: size }, (_, index) => `${from}${String(index).padStart(3, '0')}`)

/** Warns at each insert, as a trigger of the operator or a server that needs a vacuum may. */
const warningInserts = `
  DO $setup$ BEGIN
    CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE WARNING 'inserted'; RETURN NEW; END $$;
    CREATE TRIGGER warning BEFORE INSERT ON note FOR EACH ROW EXECUTE FUNCTION warn();
  END $setup$`

describe('PostgreSQL, where single-statement writes share a transaction,', { skip }, () => {
  test('commits all writes of one turn together', async (t) => {
    const { database } = await withNotes(t)
    const changed = await Promise.all(ids('a', 40).map((id) => database.run(insert(id))))
    assert.deepEqual(new Set(changed), new Set([1]))
    const commits = await database.read(sql`SELECT DISTINCT xmin::text AS xmin FROM note`, (row) => row.xmin)
    assert.equal(commits.length, 1)
  })

  test('sends one group at a time', async (t) => {
    const { database, url } = await withNotes(t, { groupedWrites: 2, groupLockMs: 10_000 })
    const other = postgres(url, { max: 1, onnotice: () => undefined })
    t.after(() => other.end())
    const many = ids('a', 12)
    const pending = await other.begin(async (tx) => {
      await tx`LOCK TABLE note IN ACCESS EXCLUSIVE MODE`
      const writing = Promise.all(many.map((id) => database.run(insert(id))))
      const held = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      await until(async () => (await administer(url, held)).length >= 1)
      await sleep(300)
      assert.equal((await administer(url, held)).length, 1)
      return { writing }
    })
    await pending.writing
    assert.deepEqual(await notes(database), many)
  })

  test('rejects each failing write with its own error, and performs all others', async (t) => {
    const { database } = await withNotes(t)
    await database.run(insert('there'))
    const good = ids('a', 10)
    const answers = await Promise.allSettled([
      ...good.slice(0, 5).map((id) => database.run(insert(id))),
      refused('conflict', database.run(insert('there'))),
      refused('storageUnavailable', database.run(sql`INSERT INTO nowhere VALUES (${1})`)),
      refused('bodyUnreadable', database.run(insert('a\u0000b'))),
      ...good.slice(5).map((id) => database.run(insert(id))),
    ])
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['fulfilled']))
    assert.deepEqual(await notes(database), [...good, 'there'])
  })

  test('confirms writes although the server warns of something before their commit', async (t) => {
    const { database, url } = await withNotes(t)
    await administer(url, warningInserts)
    const changed = await Promise.all(ids('a', 3).map((id) => database.run(insert(id))))
    assert.deepEqual(changed, [1, 1, 1])
  })

  test('refuses only the write whose commit fails', async (t) => {
    const { database } = await withNotes(t)
    await database.write((tx) => tx.run(raw(failingCommits)))
    await Promise.all([
      ...ids('a', 5).map((id) => database.run(insert(id))),
      refused('conflict', database.run(insert('fail'))),
    ])
    assert.deepEqual(await notes(database), ids('a', 5))
  })

  test('applies several changes of one record in the order of their calls', async (t) => {
    const { database } = await withNotes(t)
    await Promise.all([database.run(insert('b')), database.run(insert('a'))])
    const changed = await Promise.all([
      database.run(countFrom('b', 0)),
      database.run(countFrom('a', 0)),
      database.run(countFrom('b', 0)),
      database.run(countFrom('b', 1)),
      database.run(count('b')),
    ])
    assert.deepEqual(changed, [1, 1, 0, 1, 1])
    const counts = await database.read(sql`SELECT count FROM note ORDER BY id`, (row) => row.count)
    assert.deepEqual(counts, [1, 3])
  })

  test('does not mistake a wait for a lock for a late commit', async (t) => {
    const { database, url } = await withNotes(t)
    await database.run(insert('locked'))
    const other = postgres(url, { max: 1, onnotice: () => undefined })
    t.after(() => other.end())
    await other.begin(async (tx) => {
      await tx`UPDATE note SET count = 10`
      const waiting = Array.from({ length: 6 }, () => database.run(count('locked')))
      let isDone = false
      const all = Promise.allSettled(waiting).finally(() => {
        isDone = true
      })
      for (let written = 0; !isDone; written++) {
        assert.equal(await database.run(insert(`a${written}`)), 1)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      const kinds = (await all).map((answer) => answer.status === 'rejected' && answer.reason.kind)
      assert.ok(kinds.includes('conflict'))
    })
  })

  test('performs all writes of two processes that change the same records in opposite orders', async (t) => {
    const { database, url } = await withNotes(t)
    const second = await openForTest(t, url)
    const records = ids('a', 20)
    await Promise.all(records.map((id) => database.run(insert(id))))
    const rounds = Array.from({ length: 10 }, async () => {
      await Promise.all(records.map((id) => database.run(count(id))))
      await Promise.all(records.toReversed().map((id) => second.run(count(id))))
    })
    await Promise.all(rounds)
    const counts = await database.read(sql`SELECT DISTINCT count FROM note`, (row) => row.count)
    assert.deepEqual(counts, [20])
  })

  test('loses no acknowledged write when backends are terminated', async (t) => {
    const { database, url } = await withNotes(t)
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'rollcall' AND datname = current_database()`
    const acknowledged: string[] = []
    let refusals = 0
    const write = (id: string) =>
      database.run(insert(id)).then(
        () => acknowledged.push(id),
        (error) => {
          assert.equal(error.kind, 'storageUnavailable', String(error.stack))
          refusals++
        },
      )
    for (let round = 0; round < 12; round++) {
      const waves = Array.from({ length: 8 }, async (_, wave) => {
        for (const id of ids(`${round}-${wave}-`, 5)) await write(id)
      })
      await Promise.all([...waves, administer(url, end)])
    }
    const kept = new Set(await notes(database))
    assert.deepEqual(
      acknowledged.filter((id) => !kept.has(id)),
      [],
    )
    assert.ok(refusals < 12 * 40, 'some writes succeed')
    assert.equal(await database.run(insert('after')), 1)
  })

  test('refuses a whole group within the time limit if a standby does not confirm it, and recovers', async (t) => {
    const server = await ownServer(t)
    const database = await openForTest(t, server.url)
    await migrate(database, [migration])
    await waitForStandby(server, 'nobody')
    const startedAt = performance.now()
    const group = ids('a', 10)
    await Promise.all(group.map((id) => refused('storageUnavailable', database.run(insert(id)))))
    await refused('storageUnavailable', database.run(insert('b')))
    assert.ok(performance.now() - startedAt < 30_000)
    assert.deepEqual(await notes(database), [])
    await waitForStandby(server, '')
    await until(async () => (await notes(database)).length === group.length)
    await database.run(insert('c'))
    assert.deepEqual(await notes(database), [...group, 'c'])
  })

  test('refuses every write that waits too long for a lock or in the queue, and counts each', async (t) => {
    const url = await freshDatabase(t)
    let failures = 0
    const observe = { storageFailed: () => failures++ }
    const database = await openDatabase(url, { observe })
    t.after(() => database.close())
    await migrate(database, [migration])
    const other = postgres(url, { max: 1, onnotice: () => undefined })
    t.after(() => other.end())
    const answers = await other.begin(async (tx) => {
      await tx`LOCK TABLE note IN ACCESS EXCLUSIVE MODE`
      return Promise.allSettled(ids('a', 200).map((id) => database.run(insert(id))))
    })
    const kinds = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.kind : 'done'))
    assert.deepEqual(new Set(kinds), new Set(['storageUnavailable']))
    assert.equal(failures, answers.length)
    assert.deepEqual(await notes(database), [])
    assert.equal(await database.run(insert('after')), 1)
  })
})

describe('PostgreSQL, where short reads share a connection,', { skip }, () => {
  const idOf = (row: { readonly id?: unknown }) => row.id
  const one = (id: string) => sql`SELECT id FROM note WHERE id = ${key(id)}`

  test('a read that storage refuses is counted once', async (t) => {
    const failures: string[] = []
    const observe = { storageFailed: (kind: string) => failures.push(kind) }
    const database = await openDatabase(await freshDatabase(t), { observe })
    t.after(() => database.close())
    const missing = sql`SELECT id FROM note`
    await refused('storageUnavailable', database.read(missing, idOf))
    await refused('storageUnavailable', database.scan(missing, idOf))
    await refused('storageUnavailable', Array.fromAsync(database.stream(missing, idOf)))
    assert.deepEqual(failures, ['42P01', '42P01', '42P01'])
  })

  test('if one read fails, the other reads of its turn succeed', async (t) => {
    const { database } = await withNotes(t)
    await database.run(insert('a'))
    const broken = sql`SELECT 1 / count AS id FROM note WHERE id = ${'a'}`
    const answers = await Promise.allSettled([
      database.read(one('a'), idOf),
      database.read(broken, idOf),
      database.read(sql`SELECT nothing FROM note`, idOf),
      database.read(one('a'), idOf),
      database.read(broken, idOf),
      database.read(one('b'), idOf),
    ])
    const results = answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value : answer.reason.code,
    )
    assert.deepEqual(results, [['a'], '22012', '42703', ['a'], '22012', []])
  })

  test('finds the records requested in one turn with one statement, and each with its own statement if that one is refused', async (t) => {
    const { database } = await withNotes(t)
    await Promise.all(ids('a', 40).map((id) => database.run(insert(id))))
    const select = 'SELECT id, statement_timestamp()::text AS at'
    const timed = lookup({ select, from: 'note', key: 'id' })
    const at = (row: Row) => (row.id === 'a007' ? assert.fail('it is bad') : row.at)
    const find = (...some: string[]) =>
      Promise.allSettled(some.map((id) => database.find(timed(id), at))).then((answers) =>
        answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason)),
      )
    const together = await find(...ids('a', 7), 'none', 'a000')
    assert.equal(new Set(together).size, 2)
    assert.equal(together[7], undefined)
    const [good, bad, unreadable, missing] = await find('a001', 'a007', 'a\u0000', 'none')
    assert.equal(typeof good, 'string')
    assert.match(bad.message, /it is bad/)
    assert.equal(unreadable.kind, 'bodyUnreadable')
    assert.equal(missing, undefined)
    const gone = lookup({ select, from: 'nowhere', key: 'id' })
    await Promise.all(['a', 'b'].map((id) => refused('storageUnavailable', database.find(gone(id), at))))
  })

  test('if the row mapping of one read throws, the other reads of its turn succeed', async (t) => {
    const { database } = await withNotes(t)
    await Promise.all(ids('a', 2).map((id) => database.run(insert(id))))
    const fail = () => {
      throw new Error('nothing can be made of it')
    }
    const large = sql`SELECT repeat('x', 5000) AS id FROM note`
    const answers = await Promise.allSettled([
      database.read(one('a000'), idOf),
      database.read(sql`SELECT id FROM note`, fail),
      database.read(large, fail),
      database.read(one('a001'), idOf),
    ])
    const results = answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value : answer.reason.message,
    )
    assert.deepEqual(results, [['a000'], 'nothing can be made of it', 'nothing can be made of it', ['a001']])
  })

  test('keeps reading, inside transactions too, after a table has gained a column', async (t) => {
    const { database, url } = await withNotes(t)
    await database.run(insert('a'))
    const all = sql`SELECT * FROM note`
    const read = () => database.read(all, (row) => Object.keys(row).length)
    const readInWrite = () => database.write((tx) => tx.read(all, (row) => Object.keys(row).length))
    for (let round = 0; round < 4; round++) assert.deepEqual([await read(), await readInWrite()], [[2], [2]])
    await administer(url, 'ALTER TABLE note ADD COLUMN more text')
    for (let round = 0; round < 4; round++) assert.deepEqual([await read(), await readInWrite()], [[3], [3]])
  })

  test('maps an unchanged row to the same object, and a changed row to a new one', async (t) => {
    const { database, url } = await withNotes(t)
    await database.run(insert('a'))
    const make = (row: { readonly id?: unknown; readonly count?: unknown }) => ({ ...row })
    const read = async () => (await database.read(sql`SELECT * FROM note WHERE id = ${key('a')}`, make))[0]
    const first = await read()
    assert.equal(await read(), first)
    assert.ok(Object.isFrozen(first))
    await administer(url, 'UPDATE note SET count = 7')
    assert.deepEqual(await read(), { id: 'a', count: 7 })
    const swapped = await database.read(sql`SELECT count::text AS id, id AS count FROM note`, make)
    assert.deepEqual(swapped, [{ id: '7', count: 'a' }])
  })
})
