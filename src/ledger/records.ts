import type { Database } from '#sql/database.ts'
import { type Records, tableRecords } from '#sql/records.ts'

/** What the ledger keeps that must not be lost in a move: counts of attempts and requests pass by themselves. */
export const ledgerRecords = (db: Database): readonly Records[] => [
  tableRecords(db, { name: 'secret', columns: ['name', 'value'], key: 'name' }),
  tableRecords(db, { name: 'administrator', columns: ['name', 'sign_id', 'password_hash'], key: 'name' }),
  tableRecords(db, {
    name: 'kept_answer',
    columns: ['scope', 'fingerprint', 'status', 'headers', 'body', 'expires_at'],
    key: 'scope',
  }),
]
