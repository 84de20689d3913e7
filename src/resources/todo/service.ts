import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import type { Page, PageRequest, Slice, SliceRequest } from '#core/page.ts'
import { conflict, notFound, preconditionFailed } from '#core/problem.ts'
import type { NewTodo, Todo, TodoChange } from './schema.ts'

export interface TodoFilter {
  readonly finished?: boolean | undefined
  readonly createdFrom?: number | undefined
  readonly createdTo?: number | undefined
}

export interface TodoStore {
  find(todoId: string): Promise<Todo | undefined>
  insert(todo: Todo): Promise<void>
  /** Replaces the version before. False when another request changed it meanwhile. */
  replace(todo: Todo): Promise<boolean>
  /** Removes this version, or any. False when it is not there. */
  remove(todoId: string, version: number | undefined): Promise<boolean>
  page(filter: TodoFilter, request: PageRequest): Promise<Page<Todo>>
  slice(filter: TodoFilter, request: SliceRequest): Promise<Slice<Todo>>
  stream(filter: TodoFilter): AsyncIterable<readonly Todo[]>
}

interface TodoGround {
  readonly store: TodoStore
  readonly clock: Clock
  readonly newId: NewId
}

export const todoService = ({ store, clock, newId }: TodoGround) => {
  const find = async (todoId: string): Promise<Todo> => {
    const todo = await store.find(todoId)
    if (!todo) throw notFound() // decision 0003
    return todo
  }

  const replace = async (todo: Todo, expected: number | undefined): Promise<Todo> => {
    const next = { ...todo, version: todo.version + 1 }
    if (await store.replace(next)) return next
    throw expected === undefined ? conflict() : preconditionFailed()
  }

  return {
    page: store.page,
    slice: store.slice,
    stream: store.stream,
    find,

    async create({ todoTitle }: NewTodo): Promise<Todo> {
      const todo = { todoId: newId(), todoTitle, finished: false, createdAt: clock.now(), version: 1 }
      await store.insert(todo)
      return todo
    },

    /**
     * A todo that is finished stays as it is: a lost answer is safely asked for again, also while the first request is
     * under way (decision 0002).
     */
    async finish(todoId: string, expected?: number): Promise<Todo> {
      const todo = await find(todoId)
      refuseOther(todo, expected)
      if (todo.finished) return todo
      const finished = { ...todo, finished: true, version: todo.version + 1 }
      if (await store.replace(finished)) return finished
      if (expected !== undefined) throw preconditionFailed()
      return this.finish(todoId)
    },

    async change(todoId: string, change: TodoChange, expected?: number): Promise<Todo> {
      const todo = await find(todoId)
      refuseOther(todo, expected)
      return replace({ ...todo, ...change }, expected)
    },

    async remove(todoId: string, expected?: number): Promise<undefined> {
      if (await store.remove(todoId, expected)) return
      await find(todoId)
      throw expected === undefined ? conflict() : preconditionFailed()
    },
  }
}

export type TodoService = ReturnType<typeof todoService>

const refuseOther = ({ version }: Todo, expected: number | undefined) => {
  if (expected !== undefined && version !== expected) throw preconditionFailed()
}
