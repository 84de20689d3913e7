import { databaseSuite } from '#sql/database.suite.ts'
import { openDatabase } from '#sql/open.ts'
import { freshDatabase, noPostgres } from './postgres.ts'

const skip = await noPostgres()

databaseSuite(
  'PostgreSQL',
  async (t) => {
    const database = await openDatabase(await freshDatabase(t))
    t.after(() => database.close())
    return database
  },
  { skip },
)
