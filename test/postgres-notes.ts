import type { TestContext } from 'node:test'
import type { Database, Transaction } from '#sql/database.ts'
import { migrate } from '#sql/migrate.ts'
import { type OpenOptions, openDatabase } from '#sql/open.ts'
import { sql } from '#sql/query.ts'
import { administer, freshDatabase, type Server, startServer } from './postgres.ts'
import { refused, until } from './sql/suite/things.ts'

export { refused, until }

export const migration = {
  owner: 'note',
  name: '001-notes',
  text: 'CREATE TABLE note (id TEXT PRIMARY KEY, count BIGINT NOT NULL DEFAULT 0);',
}

/** On a busy machine, work may wait in a queue for longer than the service allows. */
const patient = { waitMs: 30_000 }

export const openForTest = async (t: TestContext, url: string, limits: OpenOptions['limits'] = {}) => {
  const database = await openDatabase(url, { limits: { ...patient, ...limits } })
  t.after(() => database.close())
  return database
}

export const withNotes = async (t: TestContext, limits?: OpenOptions['limits']) => {
  const url = await freshDatabase(t)
  const database = await openForTest(t, url, limits)
  await migrate(database, [migration])
  return { database, url }
}

export const ownServer = async (
  t: TestContext,
  options?: Parameters<typeof startServer>[0],
): Promise<Server> => {
  const server = await startServer(options)
  t.after(server.stop)
  return server
}

/** From now on commits wait for this standby, which does not exist, or for none if the name is empty. */
export const waitForStandby = async ({ url }: Server, name: string) => {
  await administer(url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
  await administer(url, 'SELECT pg_reload_conf()')
  const setting = "SELECT current_setting('synchronous_standby_names') AS name"
  await until(async () => (await administer(url, setting))[0]?.name === name)
  // Commits heed the setting only once the checkpointer has read it, which it does before a checkpoint.
  await administer(url, 'CHECKPOINT')
}

/** How many connections wait for a standby. */
export const waitingForStandby = async ({ url }: Server) => {
  const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
  return (await administer(url, waiting)).length
}

export const add = async (tx: Transaction, id: string) => {
  await tx.run(sql`INSERT INTO note (id) VALUES (${id})`)
}

export const notes = (database: Database) =>
  database.read(sql`SELECT id FROM note ORDER BY id`, (row) => row.id)

/** Fails at COMMIT, as a deferred constraint would. */
export const failingCommits = `
  DO $setup$ BEGIN
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$;
    CREATE CONSTRAINT TRIGGER failing AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.id LIKE 'fail%') EXECUTE FUNCTION fail();
  END $setup$`
