import type { Database } from '#sql/database.ts'
import { mismatchedRows, type Records, type Table, tableRecords } from '#sql/records.ts'

/** What must be kept as it was written. Counts of attempts and requests need not be: they expire anyway. */
const checkedTables: readonly Table[] = [
  { name: 'secret', columns: ['name', 'value'], key: 'name' },
  { name: 'administrator', columns: ['name', 'sign_id', 'password_hash'], key: 'name' },
  {
    name: 'kept_answer',
    columns: ['scope', 'fingerprint', 'status', 'headers', 'body', 'expires_at'],
    key: 'scope',
  },
]

/** The marks of interrupted imports come last, because they count records that must be there. */
const movedTables: readonly Table[] = [
  ...checkedTables,
  {
    name: 'progress',
    columns: ['name', 'source', 'done', 'written', 'consumed', 'refused'],
    key: 'name',
    isUnchecked: true,
  },
]

/** What must not be lost in a move. */
export const ledgerRecords = (db: Database): readonly Records[] =>
  movedTables.map((table) => tableRecords(db, table))

/** The rows of the ledger that no longer match their checksums. */
export async function* verifyLedger(db: Database) {
  for (const table of checkedTables) yield* mismatchedRows(db, table)
}
