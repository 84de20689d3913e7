import type { Todo } from '#client/index.ts'
import { type Failure, failureOf } from '#console/app/api/failure.ts'
import {
  addTodo,
  finishTodo,
  readTodos,
  removeTodo,
  renameTodo,
  reopenTodo,
  type TodoFilter,
} from '#console/app/api/todos.ts'
import { type Loaded, useLoad } from '#console/app/state/load.ts'
import { complain, say, sayBefore } from '#console/app/state/notes.ts'
import { store, useStore } from '#console/app/state/store.ts'
import { wordsNow } from '#console/app/words/index.ts'

export interface Stretch {
  readonly todos: readonly Todo[]
  readonly hasMore: boolean
}

export interface Board extends Loaded<Stretch> {
  /** The refusal, where the service did not take it. */
  add(title: string): Promise<Failure | undefined>
  finish(todo: Todo): Promise<void>
  reopen(todo: Todo): Promise<void>
  /** The refusal, where the service did not take it. */
  rename(todo: Todo, title: string): Promise<Failure | undefined>
  remove(todo: Todo): void
}

/** Todos that were deleted here, also where the service still has them: a deletion waits while it can be undone. */
const removed = store<ReadonlySet<string>>(new Set())

interface Change {
  readonly after: Todo
  readonly send: () => Promise<Todo>
  /** What is said where the service refuses. */
  readonly failed: string
}

/** The todos as they will be: each change is shown at once, and taken back with its reason if the service refuses. */
export const useBoard = (filter: TodoFilter, count: number): Board => {
  const loaded = useLoad<Stretch>(`${filter} ${count}`, (signal) => readTodos(filter, count, signal))
  const gone = useStore(removed)
  const edit = (change: (todos: readonly Todo[]) => readonly Todo[]) =>
    loaded.show((now) => ({ ...now, todos: change(now.todos) }))
  const swap = (todoId: string, next: Todo) =>
    edit((todos) => todos.map((todo) => (todo.todoId === todoId ? next : todo)))

  /** Shows `after` in the place of `before` while `send` is on its way. */
  const change = async (before: Todo, { after, send, failed }: Change) => {
    swap(before.todoId, after)
    try {
      swap(before.todoId, await send())
      return true
    } catch (error) {
      swap(before.todoId, before)
      complain(failed, failureOf(error))
      return false
    }
  }

  const board: Board = {
    ...loaded,
    value: loaded.value && {
      ...loaded.value,
      todos: loaded.value.todos.filter(({ todoId }) => !gone.has(todoId)),
    },
    async add(title) {
      const draft = draftOf(title)
      if (filter !== 'finished') edit((todos) => [draft, ...todos])
      try {
        swap(draft.todoId, await addTodo(title))
        return undefined
      } catch (error) {
        edit((todos) => todos.filter((todo) => todo !== draft))
        return failureOf(error)
      }
    },
    async finish(todo) {
      const { todos } = wordsNow()
      const after = { ...todo, finished: true }
      const failed = todos.failed.finish(todo.todoTitle)
      if (await change(todo, { after, send: () => finishTodo(todo.todoId), failed }))
        say(todos.finished(todo.todoTitle), () => void board.reopen(after))
    },
    async reopen(todo) {
      const failed = wordsNow().todos.failed.reopen(todo.todoTitle)
      const after = { ...todo, finished: false }
      await change(todo, { after, send: () => reopenTodo(todo.todoId), failed })
    },
    async rename({ todoId }, todoTitle) {
      try {
        swap(todoId, await renameTodo(todoId, todoTitle))
        return undefined
      } catch (error) {
        return failureOf(error)
      }
    },
    remove({ todoId, todoTitle }) {
      removed.set(new Set(removed.get()).add(todoId))
      const restore = () => removed.set(new Set([...removed.get()].filter((id) => id !== todoId)))
      const send = () =>
        removeTodo(todoId).catch((error) => {
          restore()
          complain(wordsNow().todos.failed.remove(todoTitle), failureOf(error))
        })
      sayBefore(wordsNow().todos.removed(todoTitle), restore, () => void send())
    },
  }
  return board
}

const draftPrefix = 'draft-'

/** A todo that the service has not confirmed yet: nothing can be done with it. */
export const isDraft = ({ todoId }: Todo) => todoId.startsWith(draftPrefix)

const draftOf = (todoTitle: string): Todo => ({
  todoId: draftPrefix + crypto.randomUUID(),
  todoTitle,
  finished: false,
  createdAt: new Date().toISOString(),
})
