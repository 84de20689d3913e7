import type { RoomRecords, Unique } from '#resources/resource.ts'
import { scratchTable } from '#src/cli/sqlite-file.ts'

/** Reports whether each record would be written, given the records before it, but writes none. */
export const dryRun = (records: RoomRecords): RoomRecords => {
  const { isClaimed, claim } = claims()
  const isFirst = (record: object) => {
    const unique = records.unique(record)
    if (unique.some(isClaimed)) return false
    unique.forEach(claim)
    return true
  }
  const isObstructed = async (record: object) => {
    const taken = records.unique(record).map((one) => one.isTaken())
    const missing = records.references?.(record).map((one) => one.isMissing()) ?? []
    return (await Promise.all([...taken, ...missing])).includes(true)
  }
  return {
    ...records,
    unique: (record) =>
      records.unique(record).map((one) => ({ ...one, isTaken: async () => isClaimed(one) || one.isTaken() })),
    async insert(given) {
      const obstructed = await Promise.all(given.map(isObstructed))
      return given.map((record, index) => !obstructed[index] && isFirst(record))
    },
  }
}

const claims = () => {
  const database = scratchTable('claimed (value TEXT PRIMARY KEY)')
  const found = database.prepare('SELECT 1 FROM claimed WHERE value = ?')
  const added = database.prepare('INSERT OR IGNORE INTO claimed VALUES (?)')
  return {
    isClaimed: (unique: Unique) => found.get(nameOf(unique)) !== undefined,
    claim: (unique: Unique) => void added.run(nameOf(unique)),
  }
}

const nameOf = ({ by, value }: Unique) => JSON.stringify([by, value])
