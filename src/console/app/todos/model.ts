import { useRef } from 'preact/hooks'
import type { Todo } from '#client/index.ts'
import { randomId } from '#client/random-id.ts'
import { callSignedIn, todos as collection } from '#console/app/api/call.ts'
import { type Failure, failureOf } from '#console/app/api/failure.ts'
import {
  countsOf,
  type Renaming,
  readTodos,
  renameTodo,
  type TodoCounts,
  type TodoQuery,
  type TodoSlice,
} from '#console/app/api/todos.ts'
import { type LoadedValue, useLoad } from '#console/app/state/load.ts'
import { notify, notifyFailure, notifyWithoutUndo } from '#console/app/state/notes.ts'
import { remove, removedIds } from '#console/app/state/removal.ts'
import { useStore } from '#console/app/state/store.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { quotedText } from '#console/app/words/visible.ts'
import { restoreTodos } from './bulk-action.tsx'
import type { Addition } from './new-todo.ts'

export interface TodoModel extends LoadedValue<TodoSlice> {
  readonly counts: TodoCounts | undefined
  /** Resolves to the failure, or to undefined if the todo was added. */
  add(addition: Addition): Promise<Failure | undefined>
  /** Finishes or reopens a todo. */
  setFinished(todo: Todo, finished: boolean): Promise<void>
  rename(todo: Todo, renaming: Renaming, isUndo?: boolean): Promise<RenameResult>
  remove(todo: Todo): void
}

export interface RenameResult {
  /** The present title, which differs if somebody else renamed the todo first; undefined after a failure. */
  readonly title?: string
  readonly failure?: Failure
}

/** The ids of todos with a change in flight. Only one change of a todo at a time, so that a rollback restores the right state. */
const changing = new Set<string>()
const isChanging = () => changing.size > 0

/** The todos of a list, and their changes. Each change is shown at once. If the service refuses it, it is rolled back. */
export const useTodoModel = (query: TodoQuery, count: number): TodoModel => {
  const isNewShown = query.filter !== 'finished' && !query.title
  const loaded = useLoad<TodoSlice>(
    `${query.filter} ${count} ${query.title}`,
    (options, previous) => readTodos(query, count, { ...options, previous }),
    { reloadOn: ['todo'], isBusy: isChanging },
  )
  const removed = useStore(removedIds)
  const isRemoved = ({ todoId }: Todo) => removed.has(todoId)
  const edit = (change: (todos: readonly Todo[]) => readonly Todo[]) =>
    loaded.show((now) => ({ ...now, todos: change(now.todos) }))
  const editOne = (todoId: string, change: Partial<Todo>) =>
    edit((todos) => todos.map((todo) => (todo.todoId === todoId ? { ...todo, ...change } : todo)))

  const latest = useRef(loaded)
  latest.current = loaded
  const find = (id: string) => latest.current.value?.todos.find(({ todoId }) => todoId === id)

  /** Shows a change that the service has accepted. Reloads the list if it may be older than the change. */
  const confirm = (todoId: string, change: Partial<Todo>) => {
    editOne(todoId, change)
    if (latest.current.isLoading || !find(todoId)) loaded.reload()
  }

  /** Finishes or reopens a todo. The list shows the new state already while the request is in flight. */
  const changeFinished = async (todo: Todo, finished: boolean) => {
    const { todoId, finished: before } = find(todo.todoId) ?? todo
    if (changing.has(todoId) || before === finished) return false
    const failed = wordsNow().todos.failed[finished ? 'finish' : 'reopen'](titleOf(todo))
    changing.add(todoId)
    editOne(todoId, { finished })
    try {
      const { value } = await callSignedIn(() =>
        finished ? collection.finish(todoId) : collection.patch(todoId, { finished }),
      )
      confirm(todoId, { finished: value.finished })
      return true
    } catch (error) {
      editOne(todoId, { finished: before })
      notifyFailure(failed, failureOf(error))
      return false
    } finally {
      changing.delete(todoId)
    }
  }

  const model: TodoModel = {
    ...loaded,
    value: loaded.value && {
      ...loaded.value,
      todos: loaded.value.todos.filter((todo) => !isRemoved(todo)),
    },
    counts: loaded.value && countsOf(loaded.value, loaded.value.todos.filter(isRemoved)),
    async add({ title, key, isUncertain }) {
      // Shows no draft if an earlier attempt may have added the todo, because the list may contain it.
      const draft = isNewShown && !isUncertain ? draftOf(title) : undefined
      if (draft) edit((todos) => [draft, ...todos])
      try {
        const { value, replayed } = await callSignedIn(() => collection.create({ todoTitle: title }, { key }))
        if (draft) {
          edit((todos) => todos.filter(({ todoId }) => todoId !== value.todoId))
          confirm(draft.todoId, value)
        }
        // A replayed answer is old: the todo may have been changed since.
        if (!draft || replayed) loaded.reload()
        notifyWithoutUndo(isNewShown ? undefined : wordsNow().todos.addedOpen(titleOf(value)))
        return undefined
      } catch (error) {
        edit((todos) => todos.filter((todo) => todo !== draft))
        return failureOf(error)
      }
    },
    async setFinished(todo, finished) {
      if (!(await changeFinished(todo, finished))) return
      const done = (isFinished: boolean) =>
        wordsNow().todos[isFinished ? 'finished' : 'reopened'](titleOf(todo))
      const undo = async () => {
        if (await changeFinished({ ...todo, finished }, !finished)) notify(done(!finished))
      }
      notify(done(finished), { undo: () => void undo(), focusId: todo.todoId })
    },
    async rename(todo, { from, to }, isUndo = false) {
      const [before = '', after = ''] = [from, to].map((title) => quotedText(title, wordsNow()))
      const undo = () => void model.rename(todo, { from: to, to: from }, true)
      try {
        const { todoTitle } = await renameTodo(todo.todoId, { from, to })
        confirm(todo.todoId, { todoTitle })
        const undoable = isUndo ? undefined : { undo, focusId: todo.todoId }
        if (todoTitle === to && from !== to) notify(wordsNow().todos.renamed(before, after), undoable)
        return { title: todoTitle }
      } catch (error) {
        if (isUndo) notifyFailure(wordsNow().todos.failed.rename(before, after), failureOf(error))
        return { failure: failureOf(error) }
      }
    },
    remove(todo) {
      remove({
        id: todo.todoId,
        send: () => callSignedIn(() => collection.remove(todo.todoId)),
        restore: () => restoreTodos([todo]),
        doneText: () => wordsNow().todos.removed(titleOf(todo)),
        undoneText: () => wordsNow().todos.restored(titleOf(todo)),
        failedText: () => wordsNow().todos.failed.remove(titleOf(todo)),
      })
    },
  }
  return model
}

const titleOf = ({ todoTitle }: Todo) => quotedText(todoTitle, wordsNow())

const draftPrefix = 'draft-'

/** A todo that the service has not confirmed yet, so it has no actions. */
export const isDraft = ({ todoId }: Todo) => todoId.startsWith(draftPrefix)

const draftOf = (todoTitle: string): Todo => ({
  todoId: draftPrefix + randomId(),
  todoTitle,
  finished: false,
  createdAt: new Date().toISOString(),
})
