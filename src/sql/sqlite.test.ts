import { databaseSuite } from '#test/sql/database.suite.ts'
import { openDatabase } from './open.ts'

/** Long enough for all writes on a busy machine. */
const waitMs = 60_000

databaseSuite('SQLite', async (t) => {
  const database = await openDatabase('sqlite::memory:', { limits: { waitMs } })
  t.after(database.close)
  return database
})
