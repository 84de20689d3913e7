import { isId } from '#core/id.ts'
import { Version } from '#core/schema.ts'
import { type Database, nothing } from '#sql/database.ts'
import { listing } from '#sql/listing.ts'
import { empty, lookup, raw } from '#sql/query.ts'
import { table } from '#sql/table.ts'
import { noteFields } from './schema.ts'
import type { NoteStore } from './service.ts'

export const noteTable = table({
  name: 'note',
  fields: { ...noteFields, version: Version },
  key: 'noteId',
  fixed: ['createdAt'],
  refersTo: { memberId: { table: 'member', column: 'member_id' } },
})

const { version: _, ...sortable } = noteTable.sortable()

export const noteSortable = Object.keys(sortable)

const noteById = lookup({ select: `SELECT ${noteTable.selected}`, from: 'note', key: 'note_id' })

const everything = {
  select: raw(`SELECT ${noteTable.selected}`),
  from: raw('note'),
  count: raw('SELECT count(*) AS total FROM note'),
  where: empty,
  position: 'note_id',
  isIndexed: true,
}

export const noteStore = (db: Database): NoteStore => {
  return {
    ...listing(db, { make: noteTable.make, select: () => everything, sortable, position: 'noteId' }),

    find: (noteId) => (isId(noteId) ? db.find(noteById(noteId), noteTable.make) : nothing),

    insert: async (note) => (await db.run(noteTable.insert(note))) === 1,
  }
}
