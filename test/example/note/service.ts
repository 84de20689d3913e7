import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { conflict, notFound, referenceMissing } from '#core/problem.ts'
import type { ListSource } from '#http/api/lists.ts'
import type { NewNote, Note } from './schema.ts'

export interface NoteStore extends ListSource<object> {
  find(noteId: string): Promise<Note | undefined>
  /** False when the member is not there. */
  insert(note: Note): Promise<boolean>
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

  async create(given: NewNote): Promise<Note> {
    const note = { noteId: newId(), ...given, createdAt: clock.now(), version: 1 }
    if (!(await store.insert(note))) throw conflict(undefined, [referenceMissing('memberId', 'member')])
    return note
  },
})

export type NoteService = ReturnType<typeof noteService>
