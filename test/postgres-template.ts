import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { administer, databaseUrl } from './postgres.ts'

/** Makes a database with every table on the server of a run, to be copied for each test, and returns its name. */
export const makeTemplate = async (server: string): Promise<string> => {
  const name = 'rollcall_template'
  await administer(server, `CREATE DATABASE ${name}`)
  const engine = await openDatabase(databaseUrl(server, name))
  await migrateAll(engine)
  await engine.close()
  return name
}
