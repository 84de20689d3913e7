import type { TestContext } from 'node:test'
import type { Engine } from '#sql/engine.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { freshDatabase, noPostgres, serviceDatabase } from './postgres.ts'
import { freshFile, serviceFile } from './sqlite-file.ts'

/** Opens a database for one test, by default with every table; it is closed when the test ends. */
type Open = (t: TestContext, prepare?: (engine: Engine) => Promise<unknown>) => Promise<Engine>

interface Urls {
  /** For a service, which makes the tables unless they are there. */
  url(t: TestContext): Promise<string>
  /** Without tables. */
  empty(t: TestContext): Promise<string>
}

const opening =
  ({ url, empty }: Urls): Open =>
  async (t, prepare) => {
    const engine = await openDatabase(await (prepare ? empty(t) : url(t)))
    t.after(() => engine.close())
    await (prepare ?? migrateAll)(engine)
    return engine
  }

/** Addresses of new databases of each engine. */
export const databases: readonly (Urls & { readonly name: string; readonly skip: string | false })[] = [
  { name: 'SQLite', url: async () => serviceFile(), empty: async () => freshFile(), skip: false },
  { name: 'PostgreSQL', url: serviceDatabase, empty: freshDatabase, skip: await noPostgres() },
]

/** Every engine that the resources must work on. */
export const engines: readonly {
  readonly name: string
  readonly open: Open
  readonly skip: string | false
}[] = databases.map(({ name, skip, ...urls }) => ({ name, open: opening(urls), skip }))
