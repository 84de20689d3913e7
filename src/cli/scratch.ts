import { DatabaseSync } from 'node:sqlite'

/** A table in an unnamed temporary file, for what must be remembered of a file that may not fit in memory. */
export const scratchTable = (table: string): DatabaseSync => {
  const database = new DatabaseSync('')
  database.exec(`PRAGMA journal_mode = OFF; CREATE TABLE ${table} WITHOUT ROWID; BEGIN`)
  return database
}
