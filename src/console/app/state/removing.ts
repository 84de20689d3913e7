import { type Failure, failureOf, isGone } from '#console/app/api/failure.ts'
import { notify, notifyFailure } from './notes.ts'
import { store } from './store.ts'

/** Records deleted here, even if the service still has them: a deletion is sent only once it can no longer be undone. */
export const removed = store<ReadonlySet<string>>(new Set())

interface Removal {
  readonly id: string
  readonly send: () => Promise<unknown>
  /** What is said of it, in the language chosen by then. */
  readonly done: () => string
  readonly undone: () => string
  readonly failed: () => string
  readonly reason?: (failure: Failure) => string | undefined
}

export const remove = ({ id, send, done, undone, failed, reason }: Removal) => {
  removed.set(new Set(removed.get()).add(id))
  const restore = () => removed.set(new Set([...removed.get()].filter((one) => one !== id)))
  const settle = () =>
    void send().catch((error) => {
      const failure = failureOf(error)
      // Whoever deleted it.
      if (isGone(failure)) return
      restore()
      notifyFailure(failed(), failure, reason?.(failure))
    })
  const undo = () => {
    restore()
    notify(undone())
  }
  notify(done(), { undo, settle, about: id })
}
