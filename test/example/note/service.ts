import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { notFound } from '#core/problem.ts'
import type { ListSource } from '#http/api/lists.ts'
import type { NewNote, Note } from './schema.ts'

export interface NoteStore extends ListSource<object> {
  find(noteId: string): Promise<Note | undefined>
  insert(note: Note): Promise<void>
}

interface NoteGround {
  readonly store: NoteStore
  readonly clock: Clock
  readonly newId: NewId
}

export const noteService = ({ store, clock, newId }: NoteGround) => ({
  ...store,

  async find(noteId: string): Promise<Note> {
    const note = await store.find(noteId)
    if (!note) throw notFound()
    return note
  },

  async create({ text }: NewNote): Promise<Note> {
    const note = { noteId: newId(), text, createdAt: clock.now(), version: 1 }
    await store.insert(note)
    return note
  },
})

export type NoteService = ReturnType<typeof noteService>
