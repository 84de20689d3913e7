import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import postgres from 'postgres'
import type { Row } from '#sql/database.ts'
import type { PoolState } from '#sql/engine.ts'
import { migrate } from '#sql/migrate.ts'
import { openDatabase } from '#sql/open.ts'
import { defaultLimits } from '#sql/postgres/limits.ts'
import { raw, sql } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { administer, databaseUrl, freshDatabase, noPostgres } from './postgres.ts'
import {
  add,
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
import { databaseSuite } from './sql/database.suite.ts'

const skip = await noPostgres()

databaseSuite('PostgreSQL', async (t) => openForTest(t, await freshDatabase(t)), { skip })

describe('PostgreSQL, in long use,', { skip }, () => {
  test('keeps a stream open for a reader that pauses often, each time within the limit', async (t) => {
    const database = await openForTest(t, await freshDatabase(t), { pauseMs: 200 })
    let nowMs = performance.now()
    t.mock.method(performance, 'now', () => nowMs)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let count = 0
    for await (const rows of database.stream(
      raw('SELECT i FROM generate_series(1, 1200) AS i'),
      (row) => row.i,
    )) {
      nowMs += 199
      t.mock.timers.tick(199)
      count += rows.length
    }
    assert.equal(count, 1_200)
    t.mock.timers.reset()
    t.mock.restoreAll()
  })

  test('keeps a stream open beyond idle_in_transaction_session_timeout', async (t) => {
    const url = `${await freshDatabase(t)}?idle_in_transaction_session_timeout=300`
    const database = await openForTest(t, url)
    let count = 0
    for await (const rows of database.stream(numbers, (row) => row.i)) {
      if (count === 0) await sleep(900)
      count += rows.length
    }
    assert.equal(count, 3_000)
  })

  test('finds all rows, whatever the settings of the server are for text indexes', async (t) => {
    const url = await freshDatabase(t)
    await administer(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET gin_fuzzy_search_limit = 50`)
    const database = await openForTest(t, url)
    const show = raw('SHOW gin_fuzzy_search_limit')
    assert.deepEqual(await database.read(show, (row) => row.gin_fuzzy_search_limit), ['0'])
  })

  test('keeps no pending promise after a transaction', async (t) => {
    const database = await openForTest(t, await freshDatabase(t))
    const promisesAfter = async (times: number) => {
      for (let time = 0; time < times; time++) await database.write(async () => undefined)
      return queryObjects(Promise, { format: 'count' })
    }
    const before = await promisesAfter(100)
    const left = (await promisesAfter(300)) - before
    assert.ok(left < 150, `300 transactions left ${left} promises`)
  })

  test('sends equal queries of one turn once, and an equal query of a later turn again', async (t) => {
    const database = await openForTest(t, await freshDatabase(t))
    const now = raw('SELECT clock_timestamp() AS one')
    const [first, same, madeOtherwise] = await Promise.all([
      database.read(now, one),
      database.read(now, one),
      database.read(now, () => 'other'),
    ])
    assert.deepEqual(same, first)
    assert.deepEqual(madeOtherwise, ['other'])
    assert.notDeepEqual(await database.read(now, one), first)
  })

  test('prepares no more statements than its limit', async (t) => {
    const database = await openForTest(t, await freshDatabase(t))
    for (let count = 0; count < 3_000; count += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => database.read(raw(`SELECT ${count + index} AS one`), one)),
      )
    for (const _connection of [1, 2]) {
      const [prepared] = await database.read(raw('SELECT count(*) AS one FROM pg_prepared_statements'), one)
      assert.ok(Number(prepared) <= 1_002, `${prepared} are prepared`)
    }
    assert.deepEqual(await database.read(raw('SELECT 0 AS one'), one), ['0'])
  })
})

const numbers = raw('SELECT i FROM generate_series(1, 3000) AS i')
const one = (row: Row) => String(row.one)

describe('PostgreSQL, under contention,', { skip }, () => {
  test('completes both transactions of a deadlock', async (t) => {
    const { database } = await withNotes(t)
    await database.write(async (tx) => {
      await add(tx, 'a')
      await add(tx, 'b')
    })
    const bothHold = barrier(2)
    const touch = (first: string, second: string) =>
      database.write(async (tx) => {
        await tx.run(sql`UPDATE note SET count = count + 1 WHERE id = ${first}`)
        await bothHold()
        await tx.run(sql`UPDATE note SET count = count + 1 WHERE id = ${second}`)
      })
    await Promise.all([touch('a', 'b'), touch('b', 'a')])
    assert.deepEqual(await database.read(sql`SELECT count FROM note`, (row) => row.count), [2, 2])
  })

  test('a locked record is a conflict, but a locked table is unavailable', async (t) => {
    const { database, url } = await withNotes(t, { lockMs: 100 })
    await database.write((tx) => add(tx, 'a'))
    const change = sql`UPDATE note SET count = 1 WHERE id = ${'a'}`
    const insert = sql`INSERT INTO note (id) VALUES (${'b'})`
    const operations = {
      read: () => notes(database),
      insert: () => database.run(insert),
      insertAmongOthers: () => database.write((tx) => tx.run(insert)),
      change: () => database.run(change),
      changeAmongOthers: () => database.write((tx) => tx.run(change)),
    }
    const kindsBehind = (statement: string) =>
      behind(url, statement, async () => {
        const answers = Object.entries(operations).map(([name, run]) =>
          run().then(
            () => [name, 'done'],
            (error) => [name, error.kind],
          ),
        )
        return Object.fromEntries(await Promise.all(answers))
      })
    const unavailable = Object.fromEntries(
      Object.keys(operations).map((name) => [name, 'storageUnavailable']),
    )
    assert.deepEqual(await kindsBehind('LOCK TABLE note IN ACCESS EXCLUSIVE MODE'), unavailable)
    assert.deepEqual(await notes(database), ['a'])
    assert.deepEqual(await kindsBehind("UPDATE note SET count = 2; INSERT INTO note VALUES ('b')"), {
      read: 'done',
      insert: 'conflict',
      insertAmongOthers: 'conflict',
      change: 'conflict',
      changeAmongOthers: 'conflict',
    })
  })

  test('retries a whole unit, and refuses it after the fourth failure', async (t) => {
    const { database } = await withNotes(t)
    const unit = (id: string, failures: number) => {
      let runs = 0
      return database.unit(async () => {
        runs++
        await database.write((tx) => add(tx, id))
        if (runs <= failures) await database.write((tx) => tx.run(raise(runs === 1 ? '40P01' : '40001')))
        return runs
      })
    }
    assert.equal(await unit('a', 1), 2)
    assert.equal(await unit('b', 3), 4)
    await refused('conflict', unit('c', 4))
    assert.deepEqual(await notes(database), ['a', 'b'])
  })

  test('retries a unit whose commit fails', async (t) => {
    const { database } = await withNotes(t)
    await database.write((tx) => tx.run(raw(failingCommits)))
    let runs = 0
    const unit = database.unit(async () => {
      runs++
      await database.write((tx) => add(tx, `${runs < 3 ? 'fail' : 'good'}${runs}`))
    })
    await unit
    assert.equal(runs, 3)
    assert.deepEqual(await notes(database), ['good3'])
  })
})

describe('PostgreSQL, when it is unavailable,', { skip }, () => {
  test('reports every failure that the statement did not cause as unavailable', async (t) => {
    const { database } = await withNotes(t)
    const fails = (code: string) => database.write((tx) => tx.run(raise(code)))
    for (const code of failures) await refused('storageUnavailable', fails(code))
    for (const code of ['22012', '23514', '42703']) await assert.rejects(fails(code), { code })
  })

  test('reuses no connection whose end the server has announced', async (t) => {
    const { database, url } = await withNotes(t)
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      const work = database.write(async (tx) => {
        const [pid] = await tx.read(sql`SELECT pg_backend_pid() AS pid`, (row) => row.pid)
        const sleeping = tx.run(sql`SELECT pg_sleep(60)`)
        await Promise.all([sleeping, administer(url, `SELECT pg_terminate_backend(${pid})`)])
      })
      await refused('storageUnavailable', work)
      await database.write((tx) => add(tx, id))
    }
    assert.deepEqual(await notes(database), ['a', 'b', 'c', 'd', 'e'])
  })

  test('ends a transaction whose callback does not notice the loss of the connection', async (t) => {
    const { database, url } = await withNotes(t)
    const work = database.write(async (tx) => {
      const [pid] = await tx.read(sql`SELECT pg_backend_pid() AS pid`, (row) => row.pid)
      await administer(url, `SELECT pg_terminate_backend(${pid})`)
      await new Promise(() => undefined)
    })
    await refused('storageUnavailable', work)
  })

  test('refuses requests, and answers again once it is back', async (t) => {
    const server = await ownServer(t)
    const database = await openForTest(t, server.url)
    await migrate(database, [migration])
    await server.stop()
    await refused('storageUnavailable', database.ping())
    await refused(
      'storageUnavailable',
      database.write((tx) => add(tx, 'a')),
    )
    await server.start()
    await database.write((tx) => add(tx, 'b'))
    assert.deepEqual(await notes(database), ['b'])
  })

  for (const [what, statement] of [
    ['its database is dropped', 'DROP DATABASE $ WITH (FORCE)'],
    ['another database takes its place', 'DROP DATABASE $ WITH (FORCE); CREATE DATABASE $'],
  ] as const)
    test(`refuses when ${what}`, async (t) => {
      const { database, url } = await withNotes(t)
      const { pathname } = new URL(url)
      for (const one of statement.replaceAll('$', pathname.slice(1)).split('; '))
        await administer(Object.assign(new URL(url), { pathname: 'postgres' }).href, one)
      // The first attempts may still use a connection that is gone.
      for (let round = 0; round < 3; round++) {
        await refused('storageUnavailable', notes(database))
        await refused('storageUnavailable', database.run(sql`INSERT INTO note (id) VALUES (${'a'})`))
        await refused(
          'storageUnavailable',
          database.write((tx) => add(tx, 'a')),
        )
      }
    })

  test('refuses a write for which its role lacks the privilege, and no other', async (t) => {
    const { database, url } = await withNotes(t)
    await administer(url, `CREATE TABLE other (id text)`)
    const role = `role_${new URL(url).pathname.slice(6)}`
    await administer(url, `CREATE ROLE ${role} LOGIN PASSWORD 'x' IN ROLE pg_read_all_data`)
    await administer(url, `GRANT INSERT ON other TO ${role}`)
    const limited = await openForTest(t, Object.assign(new URL(url), { username: role, password: 'x' }).href)
    await Promise.all([
      refused('storageUnavailable', limited.run(sql`INSERT INTO note (id) VALUES (${'a'})`)),
      limited.run(sql`INSERT INTO other (id) VALUES (${'a'})`),
    ])
    assert.deepEqual(await notes(database), [])
    await limited.close()
    await administer(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })

  for (const level of ['notice', 'error'])
    test(`never confirms a write that the standby may lack, even with client_min_messages=${level}`, async (t) => {
      const server = await ownServer(t)
      await administer(server.url, `ALTER ROLE postgres SET client_min_messages = ${level}`)
      const database = await openForTest(t, server.url)
      await migrate(database, [migration])
      await waitForStandby(server, 'nobody')
      const work = database.write((tx) => add(tx, 'a'))
      const cancelWaiting = async () => {
        const waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while ((await administer(server.url, waiting)).length === 0) await sleep(20)
      }
      await Promise.all([refused('storageUnavailable', work), cancelWaiting()])
    })

  test('finds the primary among several hosts', async (t) => {
    const standby = await ownServer(t, { isStandby: true })
    const primary = await ownServer(t)
    const hosts = (...ports: number[]) =>
      primary.url.replace(/@.*\//, `@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/`)
    const database = await openForTest(t, hosts(1, standby.port, primary.port))
    await migrate(database, [migration])
    await database.write((tx) => add(tx, 'a'))
    await assert.rejects(
      openDatabase(hosts(1, standby.port)),
      (error) =>
        error instanceof DataUnusable && error.reason === 'unreadable' && !/test@/.test(error.message),
    )
  })

  test('refuses a write that waits too long for a connection, while a read gets one', async (t) => {
    const { url } = await withNotes(t)
    const pools = new Map<string, PoolState>()
    const poolOpened = (name: string, pool: PoolState) => void pools.set(name, pool)
    const database = await openDatabase(url, { observe: { poolOpened }, limits: { idleMs: 60_000 } })
    t.after(() => database.close())
    const full = barrier(defaultLimits.writes)
    const done = Promise.withResolvers<void>()
    const holding = Array.from({ length: defaultLimits.writes }, () =>
      database.write(async () => {
        await full()
        await done.promise
      }),
    )
    const late = refused(
      'storageUnavailable',
      database.write((tx) => add(tx, 'a')),
    )
    assert.equal(pools.get('writes')?.waiting(), 1, 'the write waits for a connection')
    await late
    assert.deepEqual(await notes(database), [], 'a read gets a connection')
    done.resolve()
    await Promise.all(holding)
    assert.deepEqual(await notes(database), [])
  })
})

test('PostgreSQL reports another state if another server, with another history, takes its place', {
  skip,
}, async (t) => {
  const [one, other] = [await ownServer(t), await ownServer(t)]
  const [here, hereToo, there] = [
    await openForTest(t, one.url),
    await openForTest(t, one.url),
    await openForTest(t, other.url),
  ]
  for (const database of [here, there]) {
    await migrate(database, [migration])
    await database.write((tx) => add(tx, database === here ? 'lost' : 'kept'))
  }
  assert.equal(await here.commitToken(), await hereToo.commitToken())
  assert.notEqual(await here.commitToken(), await there.commitToken())
})

describe('A listener on PostgreSQL', { skip }, () => {
  const listening = async (t: TestContext, url: string) => {
    const database = await openForTest(t, url)
    const received: string[] = []
    await database.listen('notes', {
      onPayload: (payload) => received.push(payload),
      onLoss: () => received.push('(missed)'),
    })
    return received
  }

  test('learns that it may have missed notifications when its connection was lost', async (t) => {
    const { database, url } = await withNotes(t)
    const received = await listening(t, url)
    await administer(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
    )
    await until(() => received.length === 2)
    await database.write((tx) => tx.publish('notes', 'a'))
    await until(() => received.length === 3)
    assert.deepEqual(received, ['(missed)', '(missed)', 'a'])
  })

  test('receives a topic that was requested while the connection was lost, once the connection is back; the request does not wait for that', {
    timeout: 60_000,
  }, async (t) => {
    const { database, url } = await withNotes(t)
    const name = new URL(url).pathname.slice(1)
    const server = databaseUrl(url, 'postgres')
    let losses = 0
    await database.listen('notes', { onPayload: () => undefined, onLoss: () => losses++ })
    await administer(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await administer(
      server,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
    await until(() => losses === 1)
    const received: string[] = []
    await database.listen('others', {
      onPayload: (payload) => received.push(payload),
      onLoss: () => undefined,
    })
    await administer(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await until(() => losses === 2)
    await administer(url, "SELECT pg_notify('others', 'a')")
    await until(() => received.length === 1)
  })

  test('receives another topic after one was refused, and the refused topic keeps no connection open', async (t) => {
    const { database, url } = await withNotes(t)
    const received: string[] = []
    const listener = { onPayload: (payload: string) => received.push(payload), onLoss: () => undefined }
    await assert.rejects(database.listen('', listener))
    const listening =
      "SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
    await until(async () => (await administer(url, listening)).length === 0)
    await database.listen('notes', listener)
    await database.write((tx) => tx.publish('notes', 'a'))
    await until(() => received.length === 1)
  })
})

/** Errors of the connection, authorization, transaction, resources, operator, machine and data, and of missing objects. */
const failures = [
  ...['08006', '25006', '25P02', '25P03', '28000', '28P01', '3D000', '3F000', '42501', '42P01'],
  ...['53100', '53200', '53300', '57014', '57P01', '57P02', '57P03', '58030', 'XX001'],
]

const raise = (code: string) => raw(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`)

/** Does the work while another transaction has run this statement and does not commit. */
const behind = async <T>(url: string, statement: string, work: () => Promise<T>): Promise<T> => {
  const other = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await other.unsafe(`BEGIN; ${statement}`)
    return await work()
  } finally {
    await other.unsafe('ROLLBACK')
    await other.end()
  }
}

/** Holds everything back until this many have arrived; later ones pass. */
const barrier = (count: number) => {
  const open = Promise.withResolvers<void>()
  let arrived = 0
  return () => {
    if (++arrived === count) open.resolve()
    return open.promise
  }
}
