import { verifyLogged } from '#ledger/change-records.ts'
import type { Resource } from '#resources/resource.ts'
import { faultyRows } from '#sql/records.ts'
import { keyDocument } from './document.ts'
import { ImportedKey, keyRecords } from './records.ts'
import { keyRoutes } from './routes.ts'
import { keyService } from './service.ts'
import { keyStore, keyTable } from './store.ts'

export const key: Resource = {
  name: 'key',
  plural: 'keys',
  migrations: new URL('./migrations/', import.meta.url),
  document: keyDocument,
  imported: ImportedKey,
  changes: ['key.created', 'key.deleted'],
  records: keyRecords,
  async *verify(db) {
    yield* faultyRows(db, keyTable)
    const { selected, make } = keyTable
    const unlogged = ['lastUsedAt']
    yield* verifyLogged(db, { room: 'key', table: keyTable, selected, make, values: 'none', unlogged })
  },
  open: ({ db, clock, newId, announce }) => {
    const keys = keyService({ store: keyStore(db, announce), clock, newId })
    return { routes: (http) => keyRoutes(http, keys), findKey: keys.standing }
  },
}
