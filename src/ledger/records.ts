import { StoredText, Whole } from '#core/schema.ts'
import type { Database } from '#sql/database.ts'
import { faultyRows, type Records, tableRecords } from '#sql/records.ts'
import { type Table, table } from '#sql/table.ts'
import { administratorTable } from './administrator.ts'
import { answerTable } from './answers.ts'
import { changeLogTable } from './change-log.ts'
import { secretTable } from './secrets.ts'
import { viewTable } from './views.ts'

/** The tables whose rows have checksums. Counts of failed logins and of requests have no checksums, because they soon expire. */
const checkedTables: readonly Table<object>[] = [secretTable, administratorTable, answerTable, viewTable]

const tokenEndTable = table({
  name: 'token_end',
  key: 'name',
  fields: { name: StoredText, endedAt: Whole(0), forgottenAt: Whole(0) },
  hasNoChecksum: true,
})

/** The rows of the log with their numbers and hashes, so that a copy has the same chain. */
const changeTable = table({
  name: changeLogTable.table,
  key: 'number',
  fields: Object.fromEntries(
    ['number', 'previous', ...Object.keys(changeLogTable.columns)].map((column) => [column, StoredText]),
  ),
  hasNoChecksum: true,
})

/** The tables that `rollcall move` copies to another database. */
export const ledgerRecords = (db: Database): readonly Records[] =>
  [...checkedTables, tokenEndTable, changeTable].map((one) => tableRecords(db, one))

/** Reports the rows of the ledger whose checksum does not match. */
export async function* verifyLedger(db: Database) {
  for (const one of checkedTables) yield* faultyRows(db, one)
}
