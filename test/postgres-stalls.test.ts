import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '#sql/engine.ts'
import { migrate } from '#sql/migrate.ts'
import { key, raw, sql } from '#sql/query.ts'
import { administer, noPostgres } from './postgres.ts'
import {
  add,
  migration,
  notes,
  openForTest,
  ownServer,
  refused,
  until,
  waitForStandby,
  waitingForStandby,
  withNotes,
} from './postgres-notes.ts'
import { openProxy } from './proxy.ts'

const skip = await noPostgres()

/** Shorter than by default, but long enough for a busy machine. */
const impatient = {
  ...{ commitMs: 1_000, lateCheckMs: 300, answerMs: 3_000, statementMs: 3_000, closeMs: 500 },
  readMs: 1_500,
}

const insert = (id: string) => sql`INSERT INTO note (id) VALUES (${key(id)})`
const alone = (database: Engine, id: string) => database.run(insert(id))
const inUnit = (database: Engine, id: string) => database.unit(() => database.write((tx) => add(tx, id)))

const kinds: readonly [string, (database: Engine, id: string) => Promise<unknown>][] = [
  ['a write of one statement', alone],
  ['a unit', inUnit],
]

/** Repeats a write, which must be refused every time. */
const refusedFor = async (ms: number, write: (id: string) => Promise<unknown>) => {
  const endAt = performance.now() + ms
  for (let count = 0; performance.now() < endAt; count++) {
    await refused('storageUnavailable', write(`more${count}`))
    await sleep(20)
  }
}

/** A commit may be visible before its answer arrives, and until then other writes are refused. */
const eventually = (write: () => Promise<unknown>) =>
  until(() =>
    write().then(
      () => true,
      () => false,
    ),
  )

describe('PostgreSQL, when a commit is not answered,', { skip }, () => {
  for (const [kind, write] of kinds) {
    test(`keeps the connection of ${kind} while a standby does not confirm, and opens no other`, async (t) => {
      const server = await ownServer(t)
      const database = await openForTest(t, server.url, impatient)
      await migrate(database, [migration])
      await waitForStandby(server, 'nobody')
      await refusedFor(2_000, (id) => write(database, id))
      assert.equal(await waitingForStandby(server), 1)
      assert.deepEqual(await notes(database), [], 'reads are answered')
      await waitForStandby(server, '')
      await until(async () => (await notes(database)).length === 1)
      await eventually(() => write(database, 'after'))
      assert.deepEqual(await notes(database), ['after', 'more0'])
    })

    test(`keeps the connection of ${kind} whose commit is slow for another reason`, async (t) => {
      const { database, url } = await withNotes(t, impatient)
      await database.write((tx) => tx.run(raw(slowCommits)))
      await refused('storageUnavailable', write(database, 'slow'))
      await refusedFor(1_200, (id) => write(database, id))
      const committing = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
      await until(async () => (await administer(url, committing)).length === 1)
      await administer(url, 'INSERT INTO recovered VALUES (now())')
      await until(async () => (await notes(database)).length === 1)
      await eventually(() => write(database, 'after'))
      assert.deepEqual(await notes(database), ['after', 'slow'])
    })
  }

  test('waits for a statement of a group no longer than the time limit of a statement', async (t) => {
    const { database } = await withNotes(t, impatient)
    const slow = sql`INSERT INTO note (id) SELECT ${key('slow')} FROM pg_sleep(60)`
    await refused('storageUnavailable', database.run(slow))
    await eventually(() => alone(database, 'after'))
    assert.deepEqual(await notes(database), ['after'])
  })

  for (const [kind, write] of kinds)
    test(`drops the connection of ${kind} when the network swallows its traffic`, async (t) => {
      const { database, proxy } = await throughProxy(t)
      await write(database, 'before')
      proxy.silence()
      await refused('storageUnavailable', write(database, 'swallowed'))
      await eventually(() => write(database, 'after'))
    })

  test('delivers a message that a late commit published exactly once, also to listeners of the same process', async (t) => {
    const server = await ownServer(t)
    const database = await openForTest(t, server.url, impatient)
    await migrate(database, [migration])
    const received: string[] = []
    await database.listen('notes', {
      onPayload: (payload) => received.push(payload),
      onLoss: () => received.push('(missed)'),
    })
    await waitForStandby(server, 'nobody')
    const late = database.write(async (tx) => {
      await add(tx, 'late')
      await tx.publish('notes', 'late')
    })
    await refused('storageUnavailable', late)
    assert.deepEqual(received, ['(missed)'])
    await waitForStandby(server, '')
    await until(() => received.length > 1)
    await eventually(() => database.write((tx) => tx.publish('notes', 'after')))
    await until(() => received.length > 2)
    assert.deepEqual(received, ['(missed)', 'late', 'after'])
    await sleep(100)
    assert.equal(received.length, 3, 'once')
  })
})

describe('PostgreSQL, when its machine silently disappears,', { skip }, () => {
  /** Leaves several connections idle. */
  const useSeveralConnections = (database: Engine) =>
    Promise.all(Array.from({ length: 6 }, () => database.scan(raw('SELECT pg_sleep(0.1)'), () => 1)))

  test('is reached over new connections after one unanswered read', async (t) => {
    const { database, proxy } = await throughProxy(t)
    await useSeveralConnections(database)
    // Each of the connections that short reads share.
    await notes(database)
    await notes(database)
    proxy.silence()
    await refused('storageUnavailable', notes(database))
    await useSeveralConnections(database)
  })

  test('is reached over new connections after one unanswered commit', async (t) => {
    const { database, proxy } = await throughProxy(t)
    await useSeveralConnections(database)
    proxy.silence()
    await refused('storageUnavailable', alone(database, 'swallowed'))
    await sleep(3 * impatient.lateCheckMs)
    await useSeveralConnections(database)
  })
})

const throughProxy = async (t: TestContext) => {
  const server = await ownServer(t)
  const proxy = await openProxy({ port: server.port })
  t.after(() => proxy.close())
  const database = await openForTest(t, server.url.replace(`:${server.port}/`, `:${proxy.port}/`), impatient)
  await migrate(database, [migration])
  return { database, proxy }
}

/** Delays the COMMIT until there is a row in `recovered`, as a stalled disk would. */
const slowCommits = `
  DO $setup$ BEGIN
    CREATE TABLE recovered (at timestamptz);
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        WHILE NOT EXISTS (SELECT FROM recovered) LOOP PERFORM pg_sleep(0.05); END LOOP;
        RETURN NULL;
      END $$;
    CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.id LIKE 'slow%') EXECUTE FUNCTION wait();
  END $setup$`
