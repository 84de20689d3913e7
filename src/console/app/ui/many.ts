import { batchSize, type Refused, sendEach, type Task } from '#console/app/api/batch.ts'
import { isConflict, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { hide, restore } from '#console/app/state/removing.ts'
import { holdOpen } from '#console/app/state/unsaved.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import { reasonOf } from './failed.tsx'

interface Said {
  readonly done: (count: number) => string
  readonly undone: (count: number) => string
  readonly failed: (count: number, of: number, names: string) => string
}

/** Deletes many records, once that can no longer be undone. A page that is closed can still send one batch, but not several. */
export const removeMany = (tasks: readonly Task[], said: Said) => {
  if (tasks.length === 0) return
  const allowClosing = tasks.length > batchSize ? holdOpen() : () => {}
  const send = async () => {
    const refused = await sendEach(tasks)
    allowClosing()
    restore(refused.map(({ id }) => id))
    tellRefused(refused, tasks.length, said)
  }
  const undo = () => {
    allowClosing()
    notify(said.undone(tasks.length))
  }
  const ids = tasks.map(({ id }) => id)
  hide(ids, { settle: () => void send(), undo, done: () => said.done(tasks.length) })
}

/** Changes many records now. Resolves to those that were changed. */
export const changeMany = async (tasks: readonly Task[], said: Pick<Said, 'failed'>) => {
  const allowClosing = holdOpen()
  const refused = await sendEach(tasks)
  allowClosing()
  tellRefused(refused, tasks.length, said)
  return tasks.filter(({ id }) => !refused.some((one) => one.id === id))
}

/** How many are named of those that failed. */
const namedCount = 10

/** One note for all that failed, with each of their reasons once. */
const tellRefused = (refused: readonly Refused[], of: number, { failed }: Pick<Said, 'failed'>) => {
  const [first] = refused
  if (!first) return
  const words = wordsNow()
  const names = refused.slice(0, namedCount).map(({ name }) => name)
  const listed = [...names, ...(refused.length > namedCount ? ['…'] : [])].join(words.many.comma)
  const reasons = new Set(refused.map((one) => reasonFor(one, words)))
  notifyFailure(failed(refused.length, of, listed), first.failure, [...reasons].join(' '))
}

const reasonFor = ({ failure }: Refused, words: Words) => {
  if (isConflict(failure)) return words.many.changed
  return isOutcomeUnknown(failure) ? words.many.unanswered : reasonOf(failure, words)
}
