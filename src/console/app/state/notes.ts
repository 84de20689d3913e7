import { type Failure, failureOf, isSameFailure } from '#console/app/api/failure.ts'
import { store } from './store.ts'

/** A message to the user about what was done, or why it was not done. */
export interface Note {
  readonly id: number
  /** More than one if several changes failed for the same reason. */
  readonly texts: readonly string[]
  readonly failure?: Failure
  /** The reason in the words of the page, if they are clearer than the message of the failure. */
  readonly reason?: string
  readonly undo?: () => unknown
  /** Work that waits for as long as the note is shown. */
  readonly onDismiss?: () => void
  /** The id of the element that gets the focus after Undo. */
  readonly focusId?: string
}

type Undoable = Required<Pick<Note, 'undo' | 'focusId'>> & Pick<Note, 'onDismiss'>

/** How many notes are shown together. A note of a failure is not closed to make room, because it may be the only text that names the failed change. */
const maxNotes = 4

export const notes = store<readonly Note[]>([])

let count = 0

/** Changes that can be undone, the latest last, even if their notes are closed. */
let undoable: readonly (Pick<Note, 'id'> & Undoable)[] = []

const maxUndoable = 100

/**
 * Reports what was done, and returns the id of the note, which disappears by itself, but not while it has the pointer or the
 * focus. The work in `onDismiss` runs when the note disappears or the page closes.
 */
export const notify = (text: string, change?: Undoable) => {
  const id = add({ texts: [text], ...change })
  if (change) undoable = [...undoable.slice(1 - maxUndoable), { ...change, id }]
  return id
}

/** Forgets how to undo a change, because it was undone or was never made. */
export const forgetUndo = (id: number) => {
  undoable = undoable.filter((one) => one.id !== id)
}

/** Reports a change that cannot be undone. From then on, the undo key does not undo earlier changes either. */
export const notifyIrreversible = (text?: string) => {
  if (text) notify(text)
  lastIrreversibleId = count
}

/** The id of the latest note at the time of the last change that cannot be undone. */
let lastIrreversibleId = 0

/** Reports a failure. The note stays until it is dismissed, and collects other failures with the same reason. */
export const notifyFailure = (text: string, failure: Failure, reason?: string) => {
  const isAlike = (note: Note) =>
    note.failure && isSameFailure(note.failure, failure) && note.reason === reason
  if (!notes.get().some(isAlike)) return void add({ texts: [text], failure, ...(reason && { reason }) })
  notes.set(
    notes.get().map((note) => (isAlike(note) ? { ...note, failure, texts: [...note.texts, text] } : note)),
  )
}

/** A handler of a failure, which shows a note with this title and the reason. */
export const reportAs = (text: string) => (error: unknown) => notifyFailure(text, failureOf(error))

export const dismiss = (id: number) => take(id)?.onDismiss?.()

export const undo = (id: number) => {
  take(id)
  const change = undoable.find((one) => one.id === id)
  forgetUndo(id)
  change?.undo()
}

/** Undoes the latest change that was made on this page. Shows `refusal` if it cannot be undone. */
export const undoNewest = (refusal: string) => {
  const newest = undoable.at(-1)
  if (newest && newest.id > lastIrreversibleId) undo(newest.id)
  else if (notes.get().at(-1)?.texts[0] !== refusal) notify(refusal)
}

const take = (id: number) => {
  const taken = notes.get().find((note) => note.id === id)
  notes.set(notes.get().filter((note) => note !== taken))
  return taken
}

const add = (note: Omit<Note, 'id'>) => {
  count += 1
  const before = notes.get()
  notes.set([...before, { ...note, id: count }])
  const oldest = before.length < maxNotes ? undefined : before.find(({ failure }) => !failure)
  if (oldest) dismiss(oldest.id)
  return count
}

/** Runs the waiting work when the user leaves, because the user may not come back. */
const dismissPending = () => {
  for (const { id, onDismiss } of notes.get()) if (onDismiss) dismiss(id)
}

addEventListener('pagehide', dismissPending)
addEventListener('visibilitychange', () => {
  if (document.hidden) dismissPending()
})
