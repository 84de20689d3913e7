import type { RoomRecords } from '#resources/resource.ts'
import type { Kept } from '#sql/records.ts'

/** Says of each record whether it would be written, were it inserted behind those before it, and writes none. */
export const dryRun = (records: RoomRecords): RoomRecords => {
  const claimed = new Set<string>()
  const claim = (record: Kept) => {
    const unique = records.unique(record)
    if (unique.some((value) => claimed.has(value))) return false
    for (const value of unique) claimed.add(value)
    return true
  }
  return {
    ...records,
    async insert(given) {
      const taken = await Promise.all(given.map((record) => records.isTaken(record)))
      return given.map((record, index) => !taken[index] && claim(record))
    },
  }
}
