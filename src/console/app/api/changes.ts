import type { Answer, Change, Member, Todo, Version } from '#client/index.ts'
import { askForRead, changes, keys, members, type ReadOptions, take, todos } from './ask.ts'
import { failureOf, isGone } from './failure.ts'

export interface ChangeQuery {
  /** All if empty. */
  readonly types: readonly string[]
  readonly id: string | undefined
}

export interface Changed {
  readonly changes: readonly Change[]
  readonly hasMore: boolean
  readonly names: Names
}

/** How many changes are read at once. */
export const changesSize = 25

/** The newest changes, with what their records and their authors are called. */
export const readChanges = async (
  { types, id }: ChangeQuery,
  count: number,
  options: ReadOptions,
): Promise<Changed> => {
  const found: Change[] = []
  for (let before = 'latest', hasMore = true; ; ) {
    const size = Math.max(changesSize, count - found.length)
    const query = { before, id, size, ...(types.length > 0 && { types }) }
    const { value } = await askForRead(() => changes.list(query, { signal: options.signal }), options)
    found.push(...value.content)
    before = value.cursor
    hasMore = value.more
    if (!hasMore || found.length >= count)
      return { changes: found, hasMore, names: await readNames(found, options) }
  }
}

/** What a record is called, as far as is known, and whether it is gone. */
export interface Named {
  readonly value:
    | Pick<Member, 'firstName' | 'lastName'>
    | Pick<Todo, 'todoTitle'>
    | { readonly name: string }
    | undefined
  readonly isGone: boolean
}

/** By the ids of records. */
export type Names = ReadonlyMap<string, Named>

const uuidShape = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Who made it: a member is named by its id alone. */
export const authorOf = ({ data: { by } }: Change) => {
  if (uuidShape.test(by)) return { kind: 'member', id: by }
  const [kind = '', id] = by.split(/:(.*)/s)
  return { kind, id }
}

/** A name is read again once its record has changed. */
const known = new Map<string, Promise<Named>>()

/** What is erased has no name any more. */
export const forgetNames = () => known.clear()

export const readNames = async (found: readonly Change[], options: ReadOptions): Promise<Names> => {
  const newest = new Map<string, string>()
  for (const { subject, sequence } of found) if (!newest.has(subject)) newest.set(subject, sequence)
  const kinds = new Map<string, string>()
  for (const change of found) {
    const { kind, id } = authorOf(change)
    if (id) kinds.set(id, kind)
    kinds.set(change.subject, change.type.split('.')[0] ?? '')
  }
  const entries = [...kinds].map(async ([id, kind]) => {
    const key = `${id} ${newest.get(id)}`
    const name = known.get(key) ?? findName(kind, id, options)
    known.set(key, name)
    name.catch(() => known.delete(key))
    return [id, await name.catch(() => ({ value: undefined, isGone: false }))] as const
  })
  return new Map(await Promise.all(entries))
}

/** A record that is gone is called what it was at last. */
const findName = async (kind: string, id: string, options: ReadOptions): Promise<Named> => {
  const { signal } = options
  const now = readersOf(id, signal)[kind]
  if (!now) return { value: undefined, isGone: false }
  try {
    return { value: (await askForRead(now, options)).value, isGone: false }
  } catch (error) {
    if (!isGone(failureOf(error))) throw error
    const past =
      kind === 'key' ? [] : await readHistory(kind === 'todo' ? 'todos' : 'members', id, 2, options)
    return { value: past.find(({ value }) => value)?.value ?? undefined, isGone: true }
  }
}

const readersOf = (
  id: string,
  signal: AbortSignal,
): Readonly<Record<string, () => Promise<Answer<NonNullable<Named['value']>>>>> => ({
  member: () => members.getReduced(id, { signal }),
  todo: () => todos.get(id, { signal }),
  key: () => keys.get(id, { signal }),
})

/** The newest versions of a record. */
export const readHistory = (
  room: 'members' | 'todos',
  id: string,
  count: number,
  options: ReadOptions,
): Promise<readonly Version<Member | Todo>[]> => {
  const { signal } = options
  return take<Version<Member | Todo>>(
    () => (room === 'members' ? members.history(id, { signal }) : todos.history(id, { signal })),
    count,
    options,
  )
}
