import type { Done, Todo, TodoPage } from '#client/index.ts'
import { ask, askForRead, type ReadOptions, todos, walk, walkSize } from './ask.ts'
import { failureOf, isConflict } from './failure.ts'

export const todoFilters = ['all', 'open', 'finished'] as const
export type TodoFilter = (typeof todoFilters)[number]

export const stretchSize = 50

const finishedBy = { all: {}, open: { finished: false }, finished: { finished: true } } as const

export type KnownTodos = Done<TodoPage>

export interface Stretch {
  readonly filter: TodoFilter
  readonly todos: readonly Todo[]
  readonly hasMore: boolean
  /** The first page as it was read: if that is unchanged, so is the list. */
  readonly first: KnownTodos
}

const newest = 'todoId,desc' as const

/** Some of the todos, newest first. Returns what was read before if nothing has changed. */
export const readTodos = async (
  filter: TodoFilter,
  count: number,
  { before, ...options }: ReadOptions & { readonly before: Stretch | undefined },
): Promise<Stretch> => {
  const query = { ...finishedBy[filter], sort: newest, size: stretchSize }
  const read = (page: number, known?: KnownTodos) =>
    askForRead(() => todos.page({ ...query, page }, { signal: options.signal, known }), options, known)
  const first = await read(0, before?.first)
  if (before && first === before.first) return before
  const found = [...first.value.content]
  let { last } = first.value
  for (let page = 1; !last && page * stretchSize < count; page++) {
    const { value } = await read(page)
    found.push(...value.content)
    last = value.last
  }
  return { filter, todos: found, hasMore: !last, first }
}

/** All todos, newest first. */
export const walkTodos = (filter: TodoFilter, signal: AbortSignal) =>
  walk((cursor) => todos.pages({ ...finishedBy[filter], sort: newest, size: walkSize, cursor }, { signal }))

export interface Renaming {
  /** The title that was shown. */
  readonly from: string
  readonly to: string
}

/** Returns the todo as it is now: not renamed if somebody else has renamed it. */
export const renameTodo = async (todoId: string, { from, to }: Renaming): Promise<Todo> => {
  const rename = async () => {
    const known = await ask(() => todos.get(todoId))
    if (known.value.todoTitle !== from) return known.value
    return (await ask(() => todos.patch(known, { todoTitle: to }))).value
  }
  try {
    return await rename()
  } catch (error) {
    if (!isConflict(failureOf(error))) throw error
    return rename()
  }
}

/** A page of one item, which includes the total count. */
export const countTodos = (filter: TodoFilter, options: ReadOptions, known?: KnownTodos) =>
  askForRead(
    () => todos.page({ ...finishedBy[filter], size: 1 }, { signal: options.signal, known }),
    options,
    known,
  )
