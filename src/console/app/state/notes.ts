import type { Failure } from '#console/app/api/failure.ts'
import { store } from './store.ts'

/** A word to the person about what was done, or why not. */
export interface Note {
  readonly id: number
  readonly text: string
  readonly failure?: Failure
  readonly undo?: () => void
  /** What waits for as long as it can be undone. */
  readonly settle?: () => void
}

const mostNotes = 4

export const notes = store<readonly Note[]>([])

let count = 0

/** Says what was done. The note goes by itself, but not while it has the pointer or the focus. */
export const say = (text: string, undo?: () => void) => add({ text, ...(undo && { undo }) })

/** What cannot be taken back is done only when its word has gone, or the page. */
export const sayBefore = (text: string, undo: () => void, settle: () => void) => add({ text, undo, settle })

/** Why something did not happen stays until it is read and put away. */
export const complain = (text: string, failure: Failure) => add({ text, failure })

export const dismiss = (id: number) => take(id)?.settle?.()

export const undo = (id: number) => take(id)?.undo?.()

/** For who works by keys: the word goes too soon to be reached. */
export const undoNewest = () => {
  const newest = notes.get().findLast((note) => note.undo)
  if (newest) undo(newest.id)
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
  if (before.length < mostNotes) return
  const least = before.find(({ failure }) => !failure) ?? before[0]
  if (least) dismiss(least.id)
}

/** Who leaves may not come back: what waits is done now. */
const settleAll = () => {
  for (const { id, settle } of notes.get()) if (settle) dismiss(id)
}

addEventListener('pagehide', settleAll)
addEventListener('visibilitychange', () => {
  if (document.hidden) settleAll()
})
