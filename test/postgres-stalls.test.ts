import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '#sql/engine.ts'
import { migrate } from '#sql/migrate.ts'
import { key, raw, sql } from '#sql/query.ts'
import { openProxy } from './histories/proxy.ts'
import { administer, noPostgres } from './postgres.ts'
import {
  add,
  migration,
  notes,
  opened,
  ownServer,
  refused,
  until,
  waitForStandby,
  waitingForStandby,
  withNotes,
} from './postgres-notes.ts'

const skip = await noPostgres()

/** A stall of two seconds is longer than each of them. */
const impatient = {
  ...{ commitMs: 300, lateCheckMs: 100, answerMs: 1_000, statementMs: 1_000, closeMs: 500 },
  ...{ silentMs: 500, silenceCheckMs: 50 },
}

const insert = (id: string) => sql`INSERT INTO note (id) VALUES (${key(id)})`
const alone = (database: Engine, id: string) => database.run(insert(id))
const inUnit = (database: Engine, id: string) => database.unit(() => database.write((tx) => add(tx, id)))

const ways: readonly [string, (database: Engine, id: string) => Promise<unknown>][] = [
  ['a write of one statement', alone],
  ['a unit', inUnit],
]

/** Tries a write again and again, none of which may be acknowledged. */
const refusedFor = async (ms: number, write: (id: string) => Promise<unknown>) => {
  const endAt = performance.now() + ms
  for (let count = 0; performance.now() < endAt; count++) {
    await refused('storageUnavailable', write(`more${count}`))
    await sleep(20)
  }
}

/** What is committed may be seen before its answer has come, and until then others are refused. */
const atLast = (write: () => Promise<unknown>) =>
  until(() =>
    write().then(
      () => true,
      () => false,
    ),
  )

describe('PostgreSQL, when a commit is not answered,', { skip }, () => {
  for (const [what, write] of ways) {
    test(`keeps the connection of ${what} for as long as a standby stands still, and opens no other`, async (t) => {
      const server = await ownServer(t)
      const database = await opened(t, server.url, impatient)
      await migrate(database, [migration])
      await waitForStandby(server, 'nobody')
      await refusedFor(2_000, (id) => write(database, id))
      assert.equal(await waitingForStandby(server), 1)
      await waitForStandby(server, '')
      await until(async () => (await notes(database)).length === 1)
      await atLast(() => write(database, 'after'))
      assert.deepEqual(await notes(database), ['after', 'more0'])
    })

    test(`keeps the connection of ${what} whose commit takes long for any other reason`, async (t) => {
      const { database, url } = await withNotes(t, impatient)
      await database.write((tx) => tx.run(raw(slowCommits)))
      await refused('storageUnavailable', write(database, 'slow'))
      await refusedFor(1_200, (id) => write(database, id))
      const committing = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
      assert.equal((await administer(url, committing)).length, 1)
      await until(async () => (await notes(database)).length === 1)
      await atLast(() => write(database, 'after'))
      assert.deepEqual(await notes(database), ['after', 'slow'])
    })
  }

  test('does not wait longer for a statement of a group than a statement may take', async (t) => {
    const { database } = await withNotes(t, impatient)
    const slow = sql`INSERT INTO note (id) SELECT ${key('slow')} FROM pg_sleep(60)`
    await refused('storageUnavailable', database.run(slow))
    await atLast(() => alone(database, 'after'))
    assert.deepEqual(await notes(database), ['after'])
  })

  for (const [what, write] of ways)
    test(`gives up the connection of ${what} when the network swallowed it`, async (t) => {
      const { database, proxy } = await throughProxy(t)
      await write(database, 'before')
      proxy.silence()
      await refused('storageUnavailable', write(database, 'swallowed'))
      await atLast(() => write(database, 'after'))
    })

  test('tells its own listeners too what was published by a commit that came late', async (t) => {
    const server = await ownServer(t)
    const database = await opened(t, server.url, impatient)
    await migrate(database, [migration])
    const heard: string[] = []
    await database.listen('notes', {
      heard: (payload) => heard.push(payload),
      missed: () => heard.push('(missed)'),
    })
    await waitForStandby(server, 'nobody')
    const late = database.write(async (tx) => {
      await add(tx, 'late')
      await tx.publish('notes', 'late')
    })
    await refused('storageUnavailable', late)
    assert.deepEqual(heard, ['(missed)'])
    await waitForStandby(server, '')
    await until(() => heard.length > 1)
    await atLast(() => database.write((tx) => tx.publish('notes', 'after')))
    await until(() => heard.length > 2)
    assert.deepEqual(heard, ['(missed)', 'late', 'after'])
    await sleep(100)
    assert.equal(heard.length, 3, 'once')
  })
})

describe('PostgreSQL, when its machine is gone without a word,', { skip }, () => {
  /** So that several connections are idle. */
  const together = (database: Engine) =>
    Promise.all(Array.from({ length: 6 }, () => database.scan(raw('SELECT pg_sleep(0.1)'), () => 1)))

  test('is asked on new connections after one read that was not answered', async (t) => {
    const { database, proxy } = await throughProxy(t)
    await together(database)
    // Reads have two connections, which take turns.
    for (let count = 0; count < 2; count++) await notes(database)
    proxy.silence()
    await refused('storageUnavailable', notes(database))
    await together(database)
  })

  test('is asked on new connections after one commit that was not answered', async (t) => {
    const { database, proxy } = await throughProxy(t)
    await together(database)
    proxy.silence()
    await refused('storageUnavailable', alone(database, 'swallowed'))
    await sleep(3 * impatient.lateCheckMs)
    await together(database)
  })
})

const throughProxy = async (t: TestContext) => {
  const server = await ownServer(t)
  const proxy = await openProxy({ port: server.port })
  t.after(() => proxy.close())
  const database = await opened(t, server.url.replace(`:${server.port}/`, `:${proxy.port}/`), impatient)
  await migrate(database, [migration])
  return { database, proxy }
}

/** As a disk would that stands still: it is found at COMMIT. */
const slowCommits = `
  DO $setup$ BEGIN
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.id LIKE 'slow%') EXECUTE FUNCTION wait();
  END $setup$`
