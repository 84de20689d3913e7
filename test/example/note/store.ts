import { isId } from '#core/id.ts'
import { checksum } from '#sql/checksum.ts'
import type { Database, Row } from '#sql/database.ts'
import { listing } from '#sql/listing.ts'
import { empty, key, raw, sql } from '#sql/query.ts'
import type { Note } from './schema.ts'
import type { NoteStore } from './service.ts'

const sortable = { text: 'text', createdAt: 'created_at' }

export const noteSortable = Object.keys(sortable)

const everything = {
  select: raw('SELECT *'),
  from: raw('note'),
  count: raw('SELECT count(*) AS total FROM note'),
  where: empty,
  position: 'note_id',
  isIndexed: true,
}

export const noteStore = (db: Database): NoteStore => {
  const lists = listing(db, { make: toNote, sortable, valueOf: sortValue, positionOf })
  return {
    find: async (noteId) =>
      isId(noteId)
        ? (await db.read(sql`SELECT * FROM note WHERE note_id = ${key(noteId)}`, toNote))[0]
        : undefined,

    insert: async ({ noteId, text, createdAt, version }) => {
      const sum = checksum([noteId, text, createdAt, version])
      await db.run(sql`
        INSERT INTO note (note_id, text, created_at, version, checksum)
        VALUES (${key(noteId)}, ${text}, ${createdAt}, ${version}, ${sum})`)
    },

    page: (_, request) => lists.page(everything, request),
    slice: (_, request) => lists.slice(everything, request),
    stream: () => lists.stream(everything),
  }
}

const sortValue = (note: Note, property: string) => note[property as keyof Note]

const positionOf = ({ noteId }: Note) => noteId

const toNote = (row: Row): Note => ({
  noteId: String(row.note_id),
  text: String(row.text),
  createdAt: Number(row.created_at),
  version: Number(row.version),
})
