import type { Reference, RoomRecords, Unique } from '#resources/resource.ts'
import { inOrder } from '#sql/records.ts'
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
  const referencesOf = (record: object) => records.references?.(record) ?? []
  const isClaimedOrThere = ({ own, isMissing }: Reference) => (own && isClaimed(own) ? false : isMissing())
  const isObstructed = async (record: object) => {
    const taken = records.unique(record).map((one) => one.isTaken())
    const missing = referencesOf(record).map(isClaimedOrThere)
    return (await Promise.all([...taken, ...missing])).includes(true)
  }
  return {
    ...records,
    unique: (record) =>
      records.unique(record).map((one) => ({ ...one, isTaken: async () => isClaimed(one) || one.isTaken() })),
    references: (record) =>
      referencesOf(record).map((one) => ({ ...one, isMissing: async () => isClaimedOrThere(one) })),
    insert: (given) =>
      inOrder(given, {
        isWaiting: (record) => referencesOf(record).some(({ own }) => own),
        write: async (record) => !(await isObstructed(record)) && isFirst(record),
      }),
  }
}

const claims = () => {
  const database = scratchTable('claimed (value TEXT PRIMARY KEY)')
  const found = database.prepare('SELECT 1 FROM claimed WHERE value = ?')
  const added = database.prepare('INSERT OR IGNORE INTO claimed VALUES (?)')
  return {
    isClaimed: (unique: Claim) => found.get(nameOf(unique)) !== undefined,
    claim: (unique: Claim) => void added.run(nameOf(unique)),
  }
}

type Claim = Pick<Unique, 'by' | 'value'>

const nameOf = ({ by, value }: Claim) => JSON.stringify([by, value])
