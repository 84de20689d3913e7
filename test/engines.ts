import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Engine } from '#sql/engine.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { freshFolder } from './fresh-folder.ts'
import { freshDatabase, noPostgres } from './postgres.ts'

/** Opens a database for one test, by default with every table; it is closed when the test ends. */
type Open = (t: TestContext, prepare?: (engine: Engine) => Promise<unknown>) => Promise<Engine>

const opening =
  (urlOf: (t: TestContext) => Promise<string>): Open =>
  async (t, prepare = migrateAll) => {
    const engine = await openDatabase(await urlOf(t))
    t.after(() => engine.close())
    await prepare(engine)
    return engine
  }

/** An address of a new database of each engine. */
export const databases = [
  {
    name: 'SQLite',
    url: async (_: TestContext) => `sqlite:${join(freshFolder(), 'test.db')}`,
    skip: false as string | false,
  },
  { name: 'PostgreSQL', url: freshDatabase, skip: await noPostgres() },
]

/** Every engine that the resources must work on. */
export const engines: readonly {
  readonly name: string
  readonly open: Open
  readonly skip: string | false
}[] = databases.map(({ name, url, skip }) => ({ name, open: opening(url), skip }))
