import { useEffect, useRef, useState } from 'preact/hooks'
import { batchSize, type Refused, sendEach, type Task } from '#console/app/api/batch.ts'
import { failureOf, isAborted, isConflict, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { hide, restore } from '#console/app/state/removing.ts'
import { holdOpen } from '#console/app/state/unsaved.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import type { Walk } from './download.tsx'
import { reasonOf } from './failed.tsx'

/** A button that reads a whole list and uses it; leaving the page ends the reading. */
export const useAll = <Item>(
  walk: (...signal: Parameters<Walk>) => AsyncGenerator<readonly Item[]>,
  use: (items: readonly Item[]) => unknown,
) => {
  const [isLocked, setLocked] = useState(false)
  const running = useRef(new AbortController())
  useEffect(() => () => running.current.abort(), [])
  const onClick = async () => {
    setLocked(true)
    try {
      const items: Item[] = []
      for await (const page of walk(running.current.signal)) items.push(...page)
      await use(items)
    } catch (error) {
      const failure = failureOf(error)
      if (!isAborted(failure)) notifyFailure(wordsNow().many.unread, failure)
    }
    setLocked(false)
  }
  return { isLocked, onClick }
}

/** Deletes many records, once that can no longer be undone. A page that is closed can still send one batch, but not several. */
export const removeMany = (tasks: readonly Task[]) => {
  const { length: count } = tasks
  if (count === 0) return
  const allowClosing = count > batchSize ? holdOpen() : () => {}
  const send = async () => {
    const refused = await sendEach(tasks)
    allowClosing()
    restore(refused.map(({ id }) => id))
    tellRefused(refused, count, 'remove')
  }
  const undo = () => {
    allowClosing()
    notify(wordsNow().many.restored(count))
  }
  const ids = tasks.map(({ id }) => id)
  hide(ids, { settle: () => void send(), undo, done: () => wordsNow().many.removed(count) })
}

/** Changes many records now. Resolves to those that were changed. */
export const changeMany = async (tasks: readonly Task[], verb: Verb) => {
  const allowClosing = holdOpen()
  const refused = await sendEach(tasks)
  allowClosing()
  tellRefused(refused, tasks.length, verb)
  return tasks.filter(({ id }) => !refused.some((one) => one.id === id))
}

type Verb = keyof Words['many']['failed']

/** How many are named of those that failed. */
const namedCount = 10

/** One note for all that failed, with each of their reasons once. */
const tellRefused = (refused: readonly Refused[], of: number, verb: Verb) => {
  const [first] = refused
  if (!first) return
  const words = wordsNow()
  const { many } = words
  const names = refused.slice(0, namedCount).map(({ name }) => name)
  const listed = names.join(many.comma) + (refused.length > namedCount ? ' …' : '')
  const reasons = refused.map(({ failure }) => {
    if (isConflict(failure)) return many.changed
    return isOutcomeUnknown(failure) ? many.unanswered : reasonOf(failure, words)
  })
  notifyFailure(many.failed[verb](refused.length, of, listed), first.failure, [...new Set(reasons)].join(' '))
}
