import { join } from 'node:path'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { freshFolder } from './fresh-folder.ts'
import { administer, databaseUrl } from './postgres.ts'

/** A SQLite file with every table, which the tests of a run copy. */
export const makeFile = async (): Promise<string> => {
  const path = join(freshFolder(), 'template.db')
  await migrated(`sqlite:${path}`)
  return path
}

/** The same on a PostgreSQL server: its name. */
export const makeDatabase = async (server: string): Promise<string> => {
  const name = 'rollcall_template'
  await administer(server, `CREATE DATABASE ${name}`)
  await migrated(databaseUrl(server, name))
  return name
}

const migrated = async (url: string) => {
  const engine = await openDatabase(url)
  await migrateAll(engine)
  await engine.close()
}
