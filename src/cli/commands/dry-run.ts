import type { RoomRecords } from '#resources/resource.ts'
import type { StoredRecord } from '#sql/records.ts'
import { scratchTable } from '#src/cli/scratch.ts'

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

const claims = () => {
  const database = scratchTable('claimed (value TEXT PRIMARY KEY)')
  const found = database.prepare('SELECT 1 FROM claimed WHERE value = ?')
  const added = database.prepare('INSERT OR IGNORE INTO claimed VALUES (?)')
  return {
    isClaimed: (value: string) => found.get(value) !== undefined,
    claim: (value: string) => void added.run(value),
  }
}
