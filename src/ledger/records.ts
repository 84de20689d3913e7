import type { Database } from '#sql/database.ts'
import { mismatchedRows, type Records, type Table, tableRecords } from '#sql/records.ts'

/** What must not be lost in a move. Counts of attempts and requests are left behind: they expire anyway. */
const tables: readonly Table[] = [
  { name: 'secret', columns: ['name', 'value'], key: 'name' },
  { name: 'administrator', columns: ['name', 'sign_id', 'password_hash'], key: 'name' },
  {
    name: 'kept_answer',
    columns: ['scope', 'fingerprint', 'status', 'headers', 'body', 'expires_at'],
    key: 'scope',
  },
]

export const ledgerRecords = (db: Database): readonly Records[] =>
  tables.map((table) => tableRecords(db, table))

/** The rows of the ledger that no longer match their checksums. */
export async function* verifyLedger(db: Database) {
  for (const table of tables) yield* mismatchedRows(db, table)
}
