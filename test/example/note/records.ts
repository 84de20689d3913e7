import { Imported, type ValueOf } from '#core/schema.ts'
import { importedInstant, recordsOf } from '#resources/imported.ts'
import type { RoomRecords } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { type Note, noteFields } from './schema.ts'
import { noteTable } from './store.ts'

/** What a file may say of a note. */
export const ImportedNote = Imported('note', noteFields)

/** Notes as they are kept, and as a file has them. */
export const noteRecords = (db: Database): RoomRecords<Note> => ({
  ...recordsOf(db, noteTable, 'notes'),

  async read(body, { newId, now }) {
    const { noteId, createdAt, ...rest } = body as ValueOf<typeof ImportedNote>
    return {
      ...rest,
      noteId: noteId ?? newId(),
      createdAt: importedInstant('createdAt', createdAt) ?? now,
      version: 1,
    }
  },
})
