import { Id, ReadOnly, Requested, Shown, Text, UtcTimestamp, type ValueOf } from '#core/schema.ts'

export const longestText = 280

const fields = {
  noteId: ReadOnly(Id),
  text: Text(1, longestText),
  createdAt: ReadOnly(UtcTimestamp),
}

export const Note = Shown('note', fields)
export type Note = ValueOf<typeof Note> & { readonly version: number }

export const NewNote = Requested('note', fields)
export type NewNote = ValueOf<typeof NewNote>
