import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Engine } from '#sql/engine.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { freshFolder } from './fresh-folder.ts'
import { freshDatabase, noPostgres } from './postgres.ts'

/** Opens a database for one test, with every table; it is closed when the test ends. */
type Open = (t: TestContext) => Promise<Engine>

const openMigrated = async (url: string) => {
  const engine = await openDatabase(url)
  await migrateAll(engine)
  return engine
}

const sqlite: Open = async (t) => {
  const engine = await openMigrated(`sqlite:${join(freshFolder(), 'test.db')}`)
  t.after(() => engine.close())
  return engine
}

const postgres: Open = async (t) => {
  const engine = await openMigrated(await freshDatabase(t))
  t.after(() => engine.close())
  return engine
}

/** Every engine that the resources must work on. */
export const engines: readonly {
  readonly name: string
  readonly open: Open
  readonly skip: string | false
}[] = [
  { name: 'SQLite', open: sqlite, skip: false },
  { name: 'PostgreSQL', open: postgres, skip: await noPostgres() },
]
