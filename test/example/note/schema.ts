import { Id, ReadOnly, Requested, Shown, Text, UtcTimestamp, type ValueOf } from '#core/schema.ts'

/** Each field of a note stands here, and is a column of its table. */
export const noteFields = {
  noteId: ReadOnly(Id),
  memberId: Id,
  text: Text(1, 280),
  createdAt: ReadOnly(UtcTimestamp),
}

export const Note = Shown('note', noteFields)
export type Note = ValueOf<typeof Note> & { readonly version: number }

export const NewNote = Requested('note', noteFields)
export type NewNote = ValueOf<typeof NewNote>
