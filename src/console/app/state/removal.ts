import { type Failure, failureOf, isGone } from '#console/app/api/failure.ts'
import { forgetUndo, notify, notifyFailure } from './notes.ts'
import { store } from './store.ts'

/** The ids of the records that the user has deleted on this page. The service may still have them. */
export const removedIds = store<ReadonlySet<string>>(new Set())

interface Removal {
  readonly id: string
  readonly send: () => Promise<unknown>
  /** Restores the record after it was deleted. */
  readonly restore: () => Promise<unknown>
  /** The messages are functions, because the user may change the language before they are shown. */
  readonly doneText: () => string
  readonly undoneText: () => string
  readonly failedText: () => string
  readonly reasonText?: (failure: Failure) => string | undefined
}

/** Deletes one record. The request is sent only when the note disappears. Until then, Undo cancels the request. */
export const remove = ({ id, send, restore, doneText, undoneText, failedText, reasonText }: Removal) => {
  let sent: Promise<unknown> | undefined
  const onDismiss = () => {
    sent = send().catch((error) => {
      const failure = failureOf(error)
      // Somebody else has deleted the record.
      if (isGone(failure)) return
      forgetUndo(note)
      showAgain([id])
      notifyFailure(failedText(), failure, reasonText?.(failure))
    })
    return sent
  }
  const undo = () => {
    if (sent) return void sent.then(restore)
    showAgain([id])
    notify(undoneText())
  }
  hideRemoved([id])
  const note = notify(doneText(), { undo, onDismiss, focusId: id })
}

export const hideRemoved = (ids: readonly string[]) => removedIds.set(new Set([...removedIds.get(), ...ids]))

/** Shows records again that were not deleted or were restored. */
export const showAgain = (ids: readonly string[]) => removedIds.set(removedIds.get().difference(new Set(ids)))
