import { verifyLogged } from '#ledger/change-records.ts'
import type { Resource } from '#resources/resource.ts'
import { faultyRows } from '#sql/records.ts'
import { keyDocument } from './document.ts'
import { keyRecords } from './records.ts'
import { keyRoutes } from './routes.ts'
import { keyShapes } from './schema.ts'
import { keyService } from './service.ts'
import { keyStore, keyTable, warnOfOrphans } from './store.ts'

/** Keys, which may also permit what these further scopes name. */
export const keyWith = (further: readonly string[]): Resource => {
  const shapes = keyShapes(further)
  return {
    name: 'key',
    plural: 'keys',
    migrations: new URL('./migrations/', import.meta.url),
    document: keyDocument,
    imported: shapes.ImportedKey,
    changes: ['key.created', 'key.deleted'],
    records: keyRecords,
    warns: warnOfOrphans,
    async *verify(db) {
      yield* faultyRows(db, keyTable)
      const { selected, make } = keyTable
      const unlogged = ['lastUsedAt']
      yield* verifyLogged(db, { room: 'key', table: keyTable, selected, make, values: 'none', unlogged })
    },
    open: ({ db, clock, newId, announce, policy }) => {
      const keys = keyService({ store: keyStore(db, announce), clock, newId, policy })
      return { routes: (http) => keyRoutes(http, keys, shapes), findKey: keys.standing, keyNamed: keys.named }
    },
  }
}

export const key = keyWith([])
