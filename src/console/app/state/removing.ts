import { type Failure, failureOf, isGone } from '#console/app/api/failure.ts'
import { forgetUndo, notify, notifyFailure } from './notes.ts'
import { store } from './store.ts'

/** Records deleted here, even if the service still has them. */
export const removedIds = store<ReadonlySet<string>>(new Set())

interface Removal {
  readonly id: string
  readonly send: () => Promise<unknown>
  /** Restores the record after it was deleted. */
  readonly bringBack: () => Promise<unknown>
  /** The messages, in the language of that time. */
  readonly done: () => string
  readonly undone: () => string
  readonly failed: () => string
  readonly reason?: (failure: Failure) => string | undefined
}

/** Deletes one record. The request is sent only when the note disappears; until then Undo cancels it. */
export const remove = ({ id, send, bringBack, done, undone, failed, reason }: Removal) => {
  let sent: Promise<unknown> | undefined
  const onDismiss = () => {
    sent = send().catch((error) => {
      const failure = failureOf(error)
      // Somebody else deleted it.
      if (isGone(failure)) return
      forgetUndo(note)
      showAgain([id])
      notifyFailure(failed(), failure, reason?.(failure))
    })
  }
  const undo = () => {
    if (sent) return void sent.then(bringBack)
    showAgain([id])
    notify(undone())
  }
  hideRemoved([id])
  const note = notify(done(), { undo, onDismiss, focusId: id })
}

export const hideRemoved = (ids: readonly string[]) => removedIds.set(new Set([...removedIds.get(), ...ids]))

/** Shows records again that were not deleted or were restored. */
export const showAgain = (ids: readonly string[]) => removedIds.set(removedIds.get().difference(new Set(ids)))
