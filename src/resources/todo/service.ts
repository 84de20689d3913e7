import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { changedMeanwhile, conflict, notFound, preconditionFailed } from '#core/problem.ts'
import type { Lists } from '#sql/listing.ts'
import type { NewTodo, Todo, TodoChange } from './schema.ts'

export interface TodoFilter {
  readonly title?: string | undefined
  readonly finished?: boolean | undefined
  readonly createdFrom?: number | undefined
  readonly createdTo?: number | undefined
}

export interface TodoStore extends Lists<Todo, TodoFilter> {
  find(todoId: string): Promise<Todo | undefined>
  insert(todo: Todo): Promise<void>
  /** Replaces the previous version. False if another request changed it first. */
  replace(todo: Todo, changed: readonly string[]): Promise<boolean>
  /** Removes this version, or any if undefined. False when it is not there. */
  remove(todoId: string, version: number | undefined): Promise<boolean>
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

  /** A change that leaves the todo as it is makes no version (decision 0002). Undefined when another request was faster. */
  const changed = async (todo: Todo, change: Partial<TodoChange>): Promise<Todo | undefined> => {
    const next = { ...todo, ...change, version: todo.version + 1 }
    const changed = (['todoTitle', 'finished'] as const).filter((name) => next[name] !== todo[name])
    if (changed.length === 0) return todo
    return (await store.replace(next, changed)) ? next : undefined
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
        const finished = await changed(todo, { finished: true })
        if (finished) return finished
      }
      throw conflict()
    },

    async change(todoId: string, change: TodoChange, expected?: number): Promise<Todo> {
      const todo = await find(todoId)
      refuseOtherVersion(todo, expected)
      const next = await changed(todo, change)
      if (next) return next
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
