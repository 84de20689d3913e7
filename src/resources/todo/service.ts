import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import type { Page, PageRequest, Slice, SliceRequest } from '#core/page.ts'
import { changedMeanwhile, conflict, notFound, preconditionFailed } from '#core/problem.ts'
import type { NewTodo, Todo, TodoChange } from './schema.ts'

export interface TodoFilter {
  readonly finished?: boolean | undefined
  readonly createdFrom?: number | undefined
  readonly createdTo?: number | undefined
}

export interface TodoStore {
  find(todoId: string): Promise<Todo | undefined>
  insert(todo: Todo): Promise<void>
  /** Replaces the previous version. False if another request changed it first. */
  replace(todo: Todo): Promise<boolean>
  /** Removes this version, or any if undefined. False when it is not there. */
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

/** How often finishing a todo is tried when other requests keep changing it. */
const maxRaces = 100

export const todoService = ({ store, clock, newId }: TodoGround) => {
  const find = async (todoId: string): Promise<Todo> => {
    const todo = await store.find(todoId)
    if (!todo) throw notFound() // decision 0003
    return todo
  }

  /** Undefined when another request was faster. */
  const replace = async (todo: Todo): Promise<Todo | undefined> => {
    const next = { ...todo, version: todo.version + 1 }
    return (await store.replace(next)) ? next : undefined
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
     * A finished todo stays as it is, so a request whose answer was lost can safely be repeated, even while the first one
     * is still under way (decision 0002).
     */
    async finish(todoId: string, expected?: number): Promise<Todo> {
      for (let races = 0; races < maxRaces; races++) {
        const todo = await find(todoId)
        refuseOtherVersion(todo, expected)
        const finished = todo.finished ? todo : await replace({ ...todo, finished: true })
        if (finished) return finished
      }
      throw conflict()
    },

    async change(todoId: string, change: TodoChange, expected?: number): Promise<Todo> {
      const todo = await find(todoId)
      refuseOtherVersion(todo, expected)
      const changed = await replace({ ...todo, ...change })
      if (changed) return changed
      throw changedMeanwhile(expected)
    },

    async remove(todoId: string, expected?: number): Promise<undefined> {
      if (await store.remove(todoId, expected)) return
      await find(todoId)
      throw changedMeanwhile(expected)
    },
  }
}

export type TodoService = ReturnType<typeof todoService>

const refuseOtherVersion = ({ version }: Todo, expected: number | undefined) => {
  if (expected !== undefined && version !== expected) throw preconditionFailed()
}
