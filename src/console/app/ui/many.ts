import { useEffect, useRef, useState } from 'preact/hooks'
import { batchSize, type RefusedTask, sendEach, type Task } from '#console/app/api/batch.ts'
import { failureOf, isAborted, isConflict, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { hideRemoved, showAgain } from '#console/app/state/removing.ts'
import { warnBeforeClosing } from '#console/app/state/unsaved.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import type { Question } from './dialog.tsx'
import type { Walk } from './download.tsx'
import { reasonOf } from './message.tsx'

/** A button that reads a whole list and uses it; leaving the page ends the reading. */
export const useWholeList = <Item>(
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

/** The same changes as an import into this resource. */
export interface AsImport {
  readonly plural: string
  readonly existing: 'change' | 'delete'
  /** The name of the change while it runs and in Activity. */
  readonly name?: string
  /** The values that all records get. */
  readonly values?: object
}

/**
 * Makes many changes now, and says which of them failed. Resolves to those that were made. More than one batch is left to the
 * service as an import, whose progress and undo are shown without the tasks: then it resolves to undefined.
 */
export const sendMany = async (tasks: readonly Task[], verb: Verb, as?: AsImport) => {
  const allowClosing = warnBeforeClosing()
  try {
    if (as && tasks.length > batchSize && (await beginImport(tasks, as))) return undefined
    const { done, refused } = await sendEach(tasks)
    reportRefused(refused, tasks.length, verb)
    return done
  } catch (error) {
    const failure = failureOf(error)
    reportRefused(
      tasks.map((task) => ({ ...task, failure })),
      tasks.length,
      verb,
    )
    return []
  } finally {
    allowClosing()
  }
}

/** False if the user may not import. */
const beginImport = async (tasks: readonly Task[], { plural, values, ...options }: AsImport) => {
  const { importRows } = await import('#console/app/lazy.ts')
  try {
    const rows = tasks.map(({ row }) => ({ ...row, ...values }))
    await importRows(plural, rows, options)
    return true
  } catch (error) {
    if (failureOf(error).status === 403) return false
    throw error
  }
}

interface RestoreOptions {
  readonly as?: AsImport | undefined
  /** Says which fields a restored record does not get back. */
  readonly notRestored?: string | undefined
  /** Adds these records again, for users who may not restore. */
  readonly addAgain?: (tasks: readonly Task[]) => Promise<readonly Task[]>
}

/** From this number on, the number must be typed before the records are deleted. */
const confirmByTypingFrom = 50

/** The question that is asked before many records are deleted. */
export const removalOf = (
  tasks: readonly Task[],
  { title, notRestored, onYes }: RemovalQuestion,
): Question => {
  const { many, delete: yes } = wordsNow()
  const { length: number } = tasks
  return {
    title,
    text: [namesOf(tasks), many.askText, notRestored].filter(Boolean).join('\n'),
    yes,
    typed: number < confirmByTypingFrom ? undefined : { label: many.type(number), number },
    onYes,
  }
}

type RemovalQuestion = Pick<Question, 'title' | 'onYes'> & Pick<RestoreOptions, 'notRestored'>

/** Deletes many records now. Undo restores them. */
export const removeMany = async (tasks: readonly Task[], restoring: RestoreOptions = {}) => {
  hideRemoved(tasks.map(({ id }) => id))
  const done = await sendMany(tasks, 'remove', restoring.as)
  if (!done) return
  const ids = new Set(done.map(({ id }) => id))
  showAgain(tasks.flatMap(({ id }) => (ids.has(id) ? [] : id)))
  const [first] = done
  const undo = () => restoreMany(done, restoring)
  if (first) notify(wordsNow().many.removed(done.length), { undo, focusId: first.id })
}

/** Restores the records that these tasks have deleted. */
export const restoreMany = async (tasks: readonly Task[], { notRestored, addAgain }: RestoreOptions = {}) => {
  const { done, refused } = await sendEach(
    tasks.map((task) => {
      const path = `${task.operation.path}/restore`
      return { ...task, operation: { method: 'POST', path } }
    }),
  )
  const isDenied = addAgain && refused.some(({ failure }) => failure.status === 403)
  const restored = isDenied ? await addAgain(tasks) : done
  if (!isDenied) reportRefused(refused, tasks.length, 'restore')
  showAgain(restored.map(({ id }) => id))
  const { many } = wordsNow()
  if (restored.length > 0) notify([many.restored(restored.length), notRestored].filter(Boolean).join(' '))
}

type Verb = keyof Words['many']['undone']

export const namedCount = 10

export const namesOf = (tasks: readonly Pick<Task, 'name'>[], most = namedCount) => {
  const { many } = wordsNow()
  const names = tasks.slice(0, most).map(({ name }) => name)
  const others = tasks.length - names.length
  return [...names, ...(others > 0 ? [many.others(others)] : [])].join(many.comma)
}

/** Reports all failures in one note, with each reason once. */
const reportRefused = (refused: readonly RefusedTask[], total: number, verb: Verb) => {
  const [first] = refused
  if (!first) return
  const words = wordsNow()
  const { many } = words
  const reasons = refused.map(({ failure }) => {
    if (isConflict(failure)) return many.changed
    return isOutcomeUnknown(failure) ? many.unanswered : reasonOf(failure, words)
  })
  notifyFailure(
    `${many.failed(refused.length, total, many.undone[verb])}: ${namesOf(refused)}`,
    first.failure,
    [...new Set(reasons)].join(' '),
  )
}
