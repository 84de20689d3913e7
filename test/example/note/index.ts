import type { Resource } from '#resources/resource.ts'
import { faultyRows } from '#sql/records.ts'
import { noteDocument } from './document.ts'
import { ImportedNote, noteRecords } from './records.ts'
import { noteRoutes } from './routes.ts'
import { noteService } from './service.ts'
import { noteStore, noteTable } from './store.ts'

export const note: Resource = {
  name: 'note',
  plural: 'notes',
  migrations: new URL('./migrations/', import.meta.url),
  document: noteDocument,
  imported: ImportedNote,
  records: noteRecords,
  verify: (db) => faultyRows(db, noteTable),
  open: ({ db, clock, newId }) => ({
    routes: (http) => noteRoutes(http, noteService({ store: noteStore(db), clock, newId })),
  }),
}
