import { formatUtc } from '#core/formats.ts'
import { Id, Nullable, Requested, Text, TimestampText, type ValueOf } from '#core/schema.ts'
import { importedId, importedInstant, isFound, uniqueId } from '#resources/imported.ts'
import type { RoomRecords } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { type Table, tableRecords } from '#sql/records.ts'
import { longestText } from './schema.ts'

export const noteTable: Table = {
  name: 'note',
  columns: ['note_id', 'text', 'created_at', 'version'],
  key: 'note_id',
}

/** What a file may say of a note. */
export const ImportedNote = Requested('note', {
  noteId: Nullable(Id),
  text: Text(1, longestText),
  createdAt: Nullable(TimestampText),
})
type Imported = ValueOf<typeof ImportedNote>

/** Notes as they are kept, and as a file has them. */
export const noteRecords = (db: Database): RoomRecords => ({
  ...tableRecords(db, noteTable),
  name: 'notes',
  fields: ['noteId', 'text', 'createdAt'],

  async read(body, { newId, now }) {
    const { noteId, text, createdAt } = body as Imported
    return {
      note_id: importedId('noteId', noteId, newId),
      text,
      created_at: importedInstant('createdAt', createdAt) ?? now,
      version: 1,
    }
  },

  shown: ({ note_id, text, created_at }) => ({
    noteId: note_id,
    text,
    createdAt: formatUtc(Number(created_at)),
  }),

  unique: ({ note_id }) => [
    uniqueId('noteId', String(note_id), () => isFound(db, noteWithId(String(note_id)))),
  ],
})

const noteWithId = (noteId: string) => sql`SELECT note_id FROM note WHERE note_id = ${key(noteId)}`
