import type { JoinedFields } from '#resources/declaration.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'

/** A column that says whether the creator of a key was suspended, demoted or removed, and the join that it needs. */
export const orphanedColumn: Omit<JoinedFields, 'fields'> = {
  selected: `CASE
    WHEN api_key.creator_id IS NULL OR credential.role = 'administrator' THEN NULL
    WHEN credential.member_id IS NULL THEN 'removed'
    WHEN credential.role = 'suspended' THEN 'suspended'
    ELSE 'demoted' END AS orphaned`,
  from: 'api_key LEFT JOIN credential ON credential.member_id = api_key.creator_id',
  toFields: ({ orphaned }) => ({ orphaned, ...(orphaned !== null && { unversionedText: String(orphaned) }) }),
}

export const warnOfOrphanedKeys = async (db: Database): Promise<string | undefined> => {
  const { selected, from } = orphanedColumn
  const keys = await db.scan(
    raw(`SELECT api_key.key_id, api_key.created_by, ${selected} FROM ${from}`),
    (row) => row,
  )
  const described = keys
    .filter(({ orphaned }) => orphaned !== null)
    .map(({ key_id, created_by, orphaned }) => `${key_id} by ${created_by} (${orphaned})`)
  return described.length === 0
    ? undefined
    : `created by members who are no longer administrators: ${described.join(', ')}; delete the keys for which nobody is responsible`
}
