import { type Failure, failureOf, isSameFailure } from '#console/app/api/failure.ts'
import { store } from './store.ts'

/** A message to the user about what was done, or why it was not done. */
export interface Note {
  readonly id: number
  /** Several texts if several changes failed for the same reason. */
  readonly texts: readonly string[]
  readonly failure?: Failure
  /** The reason in the words of the page, if they are clearer than the message of the failure. */
  readonly reason?: string
  readonly undo?: () => unknown
  /** The work to do when the note disappears. */
  readonly onDismiss?: () => unknown
  /** The id of the element that gets the focus after Undo. */
  readonly focusId?: string
}

type Undoable = Required<Pick<Note, 'undo' | 'focusId'>> & Pick<Note, 'onDismiss'>

/** The most notes shown at once. Notes of failures are never closed to make room, because nothing else names the failed change. */
const maxNotes = 4

export const notes = store<readonly Note[]>([])

let lastId = 0

/** The changes that can be undone, the latest last. They stay here when their notes are closed. */
let undoable: readonly (Pick<Note, 'id'> & Undoable)[] = []

const maxUndoable = 100

/**
 * Shows a note about a change, and returns its id. The note disappears after some time, but not while it has the pointer or the
 * focus. `onDismiss` runs when the note disappears or the page closes.
 */
export const notify = (text: string, change?: Undoable) => {
  const id = addNote({ texts: [text], ...change })
  if (change) undoable = [...undoable.slice(1 - maxUndoable), { ...change, id }]
  return id
}

/** Forgets how to undo a change, because it was undone or was never made. */
export const forgetUndo = (id: number) => {
  undoable = undoable.filter((one) => one.id !== id)
}

/** Reports a change that cannot be undone. From then on, the undo shortcut does not undo earlier changes either. */
export const notifyWithoutUndo = (text?: string) => {
  if (text) notify(text)
  lastIrreversibleId = lastId
}

/** The id of the latest note at the time of the last change that cannot be undone. */
let lastIrreversibleId = 0

/** Reports a failure. The note stays until the user closes it, and collects other failures with the same reason. */
export const notifyFailure = (text: string, failure: Failure, reason?: string) => {
  const isAlike = (note: Note) =>
    note.failure && isSameFailure(note.failure, failure) && note.reason === reason
  if (!notes.get().some(isAlike)) return void addNote({ texts: [text], failure, ...(reason && { reason }) })
  notes.set(
    notes.get().map((note) => (isAlike(note) ? { ...note, failure, texts: [...note.texts, text] } : note)),
  )
}

/** A handler of a failure, which shows a note with this title and the reason. */
export const reportAs = (text: string) => (error: unknown) => notifyFailure(text, failureOf(error))

export const dismiss = (id: number) => removeNote(id)?.onDismiss?.()

export const undo = (id: number) => {
  removeNote(id)
  const change = undoable.find((one) => one.id === id)
  forgetUndo(id)
  change?.undo()
}

/** Undoes the latest change of this page. If that change cannot be undone, shows `refusal`. */
export const undoNewest = (refusal: string) => {
  const newest = undoable.at(-1)
  if (newest && newest.id > lastIrreversibleId) undo(newest.id)
  else if (notes.get().at(-1)?.texts[0] !== refusal) notify(refusal)
}

const removeNote = (id: number) => {
  const removed = notes.get().find((note) => note.id === id)
  notes.set(notes.get().filter((note) => note !== removed))
  return removed
}

const addNote = (note: Omit<Note, 'id'>) => {
  lastId += 1
  const before = notes.get()
  notes.set([...before, { ...note, id: lastId }])
  const oldest = before.length < maxNotes ? undefined : before.find(({ failure }) => !failure)
  if (oldest) dismiss(oldest.id)
  return lastId
}

/** Does the work of all notes before the user leaves the page, because the user may not come back. */
export const dismissPending = () =>
  Promise.all(notes.get().flatMap(({ id, onDismiss }) => (onDismiss ? [dismiss(id)] : [])))

addEventListener('pagehide', dismissPending)
addEventListener('visibilitychange', () => {
  if (document.hidden) void dismissPending()
})
