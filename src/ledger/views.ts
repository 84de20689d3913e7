import { isId } from '#core/id.ts'
import { Flag, Id, StoredText, Whole } from '#core/schema.ts'
import type { Database, Row } from '#sql/database.ts'
import { join, key, type Query, raw, sql } from '#sql/query.ts'
import { type StoredOf, table } from '#sql/table.ts'

const fields = {
  viewId: Id,
  owner: StoredText,
  name: StoredText,
  page: StoredText,
  query: StoredText,
  shared: Flag,
  version: Whole(1),
}

/** Saved views: named, filtered lists in the console. */
export const viewTable = table({ name: 'saved_view', key: 'viewId', fields, immutable: ['owner'] })
export type StoredView = StoredOf<typeof fields>

export const deleteViewsOf = (owner: string) => sql`DELETE FROM saved_view WHERE owner = ${key(owner)}`

export const viewStore = (db: Database) => {
  const selectViews = (condition: Query, limit: number): Promise<readonly StoredView[]> =>
    db.read(sql`${selected} WHERE ${condition} ORDER BY name, view_id LIMIT ${limit}`, viewTable.toRecord)
  return {
    ofOwner: (owner: string, limit: number) => selectViews(sql`owner = ${owner}`, limit),

    shared: async (pages: readonly string[], limit: number) => {
      const listed = pages.map((page) => sql`${page}`)
      return pages.length === 0 ? [] : selectViews(sql`shared AND page IN (${join(listed, ', ')})`, limit)
    },

    find: async (viewId: string) =>
      isId(viewId) ? (await selectViews(sql`view_id = ${viewId}`, 1))[0] : undefined,

    /** False if the owner already has `maxViews` views. */
    insert: (view: StoredView, maxViews: number) =>
      db.write(async (tx) => {
        const counting = sql`SELECT count(*) AS total FROM saved_view WHERE owner = ${view.owner}`
        const [count = 0] = await tx.read(counting, toTotal)
        return count < maxViews && (await tx.run(viewTable.insert(view))) === 1
      }),

    /** Replaces the previous version. False if another request changed the view first. */
    replace: async (view: StoredView) =>
      (await db.run(sql`${viewTable.update(view)} AND version = ${view.version - 1}`)) === 1,

    remove: (viewId: string) => db.run(sql`DELETE FROM saved_view WHERE view_id = ${key(viewId)}`),
  }
}

const selected = raw(`SELECT ${viewTable.selected} FROM saved_view`)

const toTotal = (row: Row) => Number(row.total)
