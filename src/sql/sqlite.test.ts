import { databaseSuite } from './database.suite.ts'
import { openDatabase } from './open.ts'

databaseSuite('SQLite', async (t) => {
  const database = await openDatabase('sqlite::memory:')
  t.after(database.close)
  return database
})
