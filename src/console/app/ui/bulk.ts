import { useEffect, useRef, useState } from 'preact/hooks'
import { batchSize, type RefusedTask, sendEach, type Task } from '#console/app/api/batch.ts'
import { type Failure, failureOf, isAborted, isConflict, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { hideRemoved, showAgain } from '#console/app/state/removal.ts'
import { warnBeforeClosing } from '#console/app/state/unsaved.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import type { Question } from './dialog.tsx'
import { loadLazy } from './lazy.tsx'
import { reasonOf } from './message.tsx'

/** The properties of a button that reads a whole list and passes it to `use`. Leaving the page ends the reading. */
export const useWholeList = <Item>(
  readAll: (signal: AbortSignal) => AsyncGenerator<readonly Item[]>,
  use: (items: readonly Item[]) => unknown,
) => {
  const [isLocked, setLocked] = useState(false)
  const controller = useRef(new AbortController())
  useEffect(() => () => controller.current.abort(), [])
  const onClick = async () => {
    setLocked(true)
    try {
      const items: Item[] = []
      for await (const page of readAll(controller.current.signal)) items.push(...page)
      await use(items)
    } catch (error) {
      const failure = failureOf(error)
      if (!isAborted(failure)) notifyFailure(wordsNow().bulk.unread, failure)
    }
    setLocked(false)
  }
  return { isLocked, onClick }
}

/** The import that makes a bulk change if the change needs more than one batch. */
export interface BulkImport {
  readonly plural: string
  /** The effect of the import on the records, which all exist. */
  readonly existing: 'change' | 'delete'
  /** The name of the change while it runs and in Activity. */
  readonly name?: string
  /** The values that all records get. */
  readonly values?: object
}

/**
 * Makes many changes now, and reports which of them failed. Resolves to the changes that were made. If they need more than one
 * batch, the service makes them as an import: this resolves to undefined, because the import shows its own progress and undo.
 */
export const sendMany = async (tasks: readonly Task[], verb: Verb, bulkImport?: BulkImport) => {
  const allowClosing = warnBeforeClosing()
  try {
    if (bulkImport && tasks.length > batchSize && (await beginImport(tasks, bulkImport))) return undefined
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

/** Begins an import of the rows of the tasks. False if the user may not import. */
const beginImport = async (tasks: readonly Task[], { plural, values, ...options }: BulkImport) => {
  const { importRows } = await loadLazy()
  try {
    const rows = tasks.map(({ row }) => ({ ...row, ...values }))
    await importRows(plural, rows, options)
    return true
  } catch (error) {
    if (failureOf(error).status === 403) return false
    throw error
  }
}

interface RemovalOptions {
  readonly bulkImport?: BulkImport | undefined
  /** Says which fields a restored record does not get back. */
  readonly notRestoredText?: string | undefined
  /** Adds these records again, for users who may not restore. */
  readonly addAgain?: (tasks: readonly Task[]) => Promise<readonly Task[]>
}

/** To delete at least this many records, the user must type their number. */
const typingThreshold = 50

/** The question that is asked before many records are deleted. */
export const removalQuestion = (
  tasks: readonly Task[],
  { title, notRestoredText, onYes }: RemovalQuestion,
): Question => {
  const { bulk, delete: yes } = wordsNow()
  const { length: number } = tasks
  return {
    title,
    text: [listNames(tasks), bulk.askText, notRestoredText].filter(Boolean).join('\n'),
    yes,
    typed: number < typingThreshold ? undefined : { label: bulk.type(number), number },
    onYes,
  }
}

type RemovalQuestion = Pick<Question, 'title' | 'onYes'> & Pick<RemovalOptions, 'notRestoredText'>

/** Deletes many records now. Undo restores the records. */
export const removeMany = async (tasks: readonly Task[], options: RemovalOptions = {}) => {
  hideRemoved(tasks.map(({ id }) => id))
  const done = await sendMany(tasks, 'remove', options.bulkImport)
  if (!done) return
  const ids = new Set(done.map(({ id }) => id))
  showAgain(tasks.flatMap(({ id }) => (ids.has(id) ? [] : id)))
  const [first] = done
  const undo = () => restoreMany(done, options)
  if (first) notify(wordsNow().bulk.removed(done.length), { undo, focusId: first.id })
}

/** Restores the records that were deleted by these tasks. */
export const restoreMany = async (
  tasks: readonly Task[],
  { notRestoredText, addAgain }: RemovalOptions = {},
) => {
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
  const { bulk } = wordsNow()
  if (restored.length > 0) notify([bulk.restored(restored.length), notRestoredText].filter(Boolean).join(' '))
}

type Verb = keyof Words['bulk']['notDone']

export const maxNamed = 10

export const listNames = (tasks: readonly Pick<Task, 'name'>[], maxNames = maxNamed) => {
  const { bulk } = wordsNow()
  const names = tasks.slice(0, maxNames).map(({ name }) => name)
  const others = tasks.length - names.length
  return [...names, ...(others > 0 ? [bulk.others(others)] : [])].join(bulk.comma)
}

/** Reports all failures in one note, which gives each reason once. */
const reportRefused = (refused: readonly RefusedTask[], total: number, verb: Verb) => {
  const [first] = refused
  if (!first) return
  const { bulk } = wordsNow()
  const reasons = refused.map(({ failure }) => reasonNotDone(failure))
  notifyFailure(
    `${bulk.failed(refused.length, total, bulk.notDone[verb])}: ${listNames(refused)}`,
    first.failure,
    [...new Set(reasons)].join(' '),
  )
}

/** A handler of the failure of a change, which shows a note with this title and the reason. */
export const reportNotDone = (text: string) => (error: unknown) => {
  const failure = failureOf(error)
  notifyFailure(text, failure, reasonNotDone(failure))
}

const reasonNotDone = (failure: Failure) => {
  const words = wordsNow()
  if (isConflict(failure)) return words.bulk.changed
  return isOutcomeUnknown(failure) ? words.bulk.unanswered : reasonOf(failure, words)
}
