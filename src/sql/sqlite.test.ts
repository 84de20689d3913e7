import { databaseSuite } from '#test/sql/database.suite.ts'
import { openDatabase } from './open.ts'

databaseSuite('SQLite', async (t) => {
  const database = await openDatabase('sqlite::memory:')
  t.after(database.close)
  return database
})
