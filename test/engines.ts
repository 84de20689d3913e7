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

const sqlite = opening(async () => `sqlite:${join(freshFolder(), 'test.db')}`)

const postgres = opening(freshDatabase)

/** Every engine that the resources must work on. */
export const engines: readonly {
  readonly name: string
  readonly open: Open
  readonly skip: string | false
}[] = [
  { name: 'SQLite', open: sqlite, skip: false },
  { name: 'PostgreSQL', open: postgres, skip: await noPostgres() },
]
