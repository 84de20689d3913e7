import type { Failure } from '#console/app/api/failure.ts'
import { store } from './store.ts'

/** A word to the person about what was done, or why not. */
export interface Note {
  readonly id: number
  readonly text: string
  readonly failure?: Failure
  readonly undo?: () => void
}

const mostNotes = 4

export const notes = store<readonly Note[]>([])

let count = 0

/** What was done goes by itself, but not while one is at it. */
export const say = (text: string, undo?: () => void) => add({ text, ...(undo && { undo }) })

/** Why something did not happen stays until it is read and put away. */
export const complain = (text: string, failure: Failure) => add({ text, failure })

export const dismiss = (id: number) => notes.set(notes.get().filter((note) => note.id !== id))

const add = (note: Omit<Note, 'id'>) => {
  count += 1
  notes.set([...notes.get(), { ...note, id: count }].slice(-mostNotes))
}
