import { DatabaseSync } from 'node:sqlite'
import type { RoomRecords } from '#resources/resource.ts'
import type { StoredRecord } from '#sql/records.ts'

/** Reports whether each record would be written, given the records before it, but writes none. */
export const dryRun = (records: RoomRecords): RoomRecords => {
  const { isClaimed, claim } = claims()
  const isFirst = (record: StoredRecord) => {
    const unique = records.unique(record).map(({ by, value }) => JSON.stringify([by, value]))
    if (unique.some(isClaimed)) return false
    unique.forEach(claim)
    return true
  }
  return {
    ...records,
    async insert(given) {
      const taken = await Promise.all(given.map((record) => records.isTaken(record)))
      return given.map((record, index) => !taken[index] && isFirst(record))
    },
  }
}

/** The values are kept in an unnamed temporary file, because an import may not fit in memory. */
const claims = () => {
  const database = new DatabaseSync('')
  database.exec(
    'PRAGMA journal_mode = OFF; CREATE TABLE claimed (value TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN',
  )
  const found = database.prepare('SELECT 1 FROM claimed WHERE value = ?')
  const added = database.prepare('INSERT OR IGNORE INTO claimed VALUES (?)')
  return {
    isClaimed: (value: string) => found.get(value) !== undefined,
    claim: (value: string) => void added.run(value),
  }
}
