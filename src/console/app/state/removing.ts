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
  const settle = () =>
    void send().catch((error) => {
      const failure = failureOf(error)
      // Whoever deleted it.
      if (isGone(failure)) return
      restore([id])
      notifyFailure(failed(), failure, reason?.(failure))
    })
  hide([id], { settle, undo: () => notify(undone()), done })
}

interface Hiding extends Pick<Removal, 'done'> {
  /** Deletes them, once that can no longer be undone. */
  readonly settle: () => void
  readonly undo: () => void
}

/** Shows records as deleted, for as long as that is not undone. */
export const hide = (ids: readonly string[], { settle, undo, done }: Hiding) => {
  removed.set(new Set([...removed.get(), ...ids]))
  const show = () => {
    restore(ids)
    undo()
  }
  notify(done(), { undo: show, settle, about: ids[0] ?? '' })
}

export const restore = (ids: readonly string[]) => {
  const restored = new Set(ids)
  removed.set(new Set([...removed.get()].filter((id) => !restored.has(id))))
}
