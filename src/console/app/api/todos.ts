import type { CallOptions, NewTodo, Todo } from '#client/index.ts'
import { ask, todos, until } from './ask.ts'

export const todoFilters = ['all', 'open', 'finished'] as const
export type TodoFilter = (typeof todoFilters)[number]

export const stretchSize = 50

const finishedBy = { all: {}, open: { finished: false }, finished: { finished: true } } as const

/** Some of the todos, the newest first. */
export const readTodos = async (filter: TodoFilter, count: number, signal?: AbortSignal) => {
  const query = { ...finishedBy[filter], sort: 'todoId,desc', size: stretchSize }
  const found: Todo[] = []
  for (let page = 0; page * stretchSize < count; page++) {
    const { value } = await ask(() => todos.page({ ...query, page }, until(signal)))
    found.push(...value.content)
    if (value.last) return { todos: found, hasMore: false }
  }
  return { todos: found, hasMore: true }
}

export const createTodo = async (todo: NewTodo, options?: CallOptions) =>
  (await ask(() => todos.create(todo, options))).value

export const addTodo = (todoTitle: string) => createTodo({ todoTitle })

export const finishTodo = async (todoId: string) => (await ask(() => todos.finish(todoId))).value

export const reopenTodo = async (todoId: string) =>
  (await ask(() => todos.patch(todoId, { finished: false }))).value

export const renameTodo = async (todoId: string, todoTitle: string) =>
  (await ask(() => todos.patch(todoId, { todoTitle }))).value

export const removeTodo = async (todoId: string) => {
  await ask(() => todos.remove(todoId))
}

export const countTodos = async (finished: boolean, signal?: AbortSignal) =>
  (await ask(() => todos.page({ finished, size: 1 }, until(signal)))).value.totalElements
