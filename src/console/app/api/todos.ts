import type { Done, Todo, TodoPage } from '#client/index.ts'
import { callSignedIn, type ReadOptions, readSignedIn, take, todos, walk, walkSize } from './call.ts'
import { failureOf, isConflict } from './failure.ts'

export const todoFilters = ['all', 'open', 'finished'] as const
export type TodoFilter = (typeof todoFilters)[number]

export const sliceSize = 50

const finishedBy = { all: {}, open: { finished: false }, finished: { finished: true } } as const

export type TodosAnswer = Done<TodoPage>

export interface TodoQuery {
  readonly filter: TodoFilter
  /** Only todos whose title contains this text. Empty for all. */
  readonly title: string
}

export interface TodoSlice extends TodoQuery {
  readonly todos: readonly Todo[]
  readonly hasMore: boolean
  /** The first page. If it is unchanged, so is the list. */
  readonly first: TodosAnswer
  /** A page with the number of finished todos or, in the list of finished todos, of open todos. */
  readonly others: TodosAnswer
}

const newest = 'todoId,desc' as const

const queryOf = ({ filter, title }: TodoQuery) => ({ ...finishedBy[filter], ...(title && { title }) })

export type TodoCounts = Readonly<Record<TodoFilter, number>>

/** The counts of all, open and finished todos, not counting those in `without`. */
export const countsOf = ({ filter, first, others }: TodoSlice, without: readonly Todo[]): TodoCounts => {
  const shownCount = first.value.totalElements
  const otherCount = others.value.totalElements
  const open = filter === 'all' ? shownCount - otherCount : filter === 'open' ? shownCount : otherCount
  const finished = filter === 'finished' ? shownCount : otherCount
  const withoutFinished = without.filter((todo) => todo.finished).length
  const remaining = {
    open: Math.max(0, open - (without.length - withoutFinished)),
    finished: Math.max(0, finished - withoutFinished),
  }
  return { all: remaining.open + remaining.finished, ...remaining }
}

/** Reads at least `count` todos, if there are as many: open ones first, then by age, newest first. Returns `previous` if nothing has changed. */
export const readTodos = async (
  todoQuery: TodoQuery,
  count: number,
  { previous, ...options }: ReadOptions & { readonly previous: TodoSlice | undefined },
): Promise<TodoSlice> => {
  const sort = todoQuery.filter === 'all' ? (['finished', newest] as const) : newest
  const query = { ...queryOf(todoQuery), sort, size: sliceSize }
  const read = (page: number, known?: TodosAnswer) =>
    readSignedIn((init) => todos.page({ ...query, page }, { ...init, known }), options, known)
  const otherFilter = todoQuery.filter === 'finished' ? 'open' : 'finished'
  const [first, others] = await Promise.all([
    read(0, previous?.first),
    countTodos({ ...todoQuery, filter: otherFilter }, options, previous?.others),
  ])
  if (previous && first === previous.first && others === previous.others) return previous
  const slice = [...first.value.content]
  let { last } = first.value
  for (let page = 1; !last && page * sliceSize < count; page++) {
    const { value } = await read(page)
    slice.push(...value.content)
    last = value.last
  }
  return { ...todoQuery, todos: slice, hasMore: !last, first, others }
}

export const walkTodos = (query: TodoQuery, signal?: AbortSignal) =>
  walk((cursor) => todos.pages({ ...queryOf(query), sort: newest, size: walkSize, cursor }, { signal }))

export interface Renaming {
  /** The title that was shown. */
  readonly from: string
  readonly to: string
}

/** Renames the todo, unless somebody else has renamed it. Returns the todo as it is then. */
export const renameTodo = async (todoId: string, { from, to }: Renaming): Promise<Todo> => {
  const rename = async () => {
    const known = await callSignedIn(() => todos.get(todoId))
    if (known.value.todoTitle !== from) return known.value
    return (await callSignedIn(() => todos.patch(known, { todoTitle: to }))).value
  }
  try {
    return await rename()
  } catch (error) {
    if (!isConflict(failureOf(error))) throw error
    return rename()
  }
}

/** A page of one item, which includes the total count. */
export const countTodos = (query: TodoQuery, options: ReadOptions, known?: TodosAnswer) =>
  readSignedIn((init) => todos.page({ ...queryOf(query), size: 1 }, { ...init, known }), options, known)

/** The times at which the newest todos were added. */
export const newestTodoTimes = async (options: ReadOptions): Promise<readonly string[]> => {
  const query = { size: walkSize, sort: newest, fields: ['createdAt'] } as const
  return (await take(() => todos.each(query, options), walkSize, options)).map(({ createdAt }) => createdAt)
}
