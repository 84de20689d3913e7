import type { Member, MemberUpdate, Todo } from '#client/index.ts'
import { ask, members, todos } from '#console/app/api/ask.ts'
import { createTodo, finishTodo } from '#console/app/api/todos.ts'
import { profileFields } from '#console/app/members/fields.ts'
import { inOrder } from '#console/app/members/name.ts'
import { textsOf } from '#console/app/members/record.tsx'
import { go, hrefTo } from '#console/app/state/route.ts'
import type { Words } from '#console/app/words/index.ts'
import { displayText } from '#console/app/words/visible.ts'
import type { HistoryWords } from './words.ts'

export type Room = 'members' | 'todos'
export type Value = Member | Todo

/** The fields that can be put back, in the order of the page. */
export const fieldsOf = (room: Room): readonly string[] =>
  room === 'members' ? inOrder(profileFields) : ['todoTitle', 'finished']

/** Fields that were changed, in the order of the page. */
export const inPageOrder = (changed: readonly string[]) =>
  [...new Set([...fieldsOf('members'), ...changed])].filter((field) => changed.includes(field))

export const labelOf = (field: string, words: Words, { fields }: HistoryWords) =>
  (({ ...words.members.fields, ...fields }) as Readonly<Record<string, string>>)[field] ?? field

const hidden = '••••••••'

/** What is shown of a field; undefined if nothing is. */
export const textOf = (value: Value, field: string, words: Words, { yes, no }: HistoryWords) => {
  if (field === 'credential.password') return hidden
  if (!isTodo(value)) return textsOf(value, words).get(field as 'memberId')
  if (field === 'finished') return value.finished ? yes : no
  return field === 'todoTitle' ? displayText(value.todoTitle, words) : undefined
}

export const isTodo = (value: object): value is Todo => 'todoTitle' in value

/** The fields in which two versions differ, of those that can be put back. */
export const differences = (room: Room, one: Value, other: Value) =>
  fieldsOf(room).filter((field) => one[field as keyof Value] !== other[field as keyof Value])

/** The record as it is now, to change exactly that version. */
export const readNow = (room: Room, id: string, signal: AbortSignal) =>
  ask<Value>(() => (room === 'members' ? members.get(id, { signal }) : todos.get(id, { signal })) as never)

export type Now = Awaited<ReturnType<typeof readNow>>

/** Replaces the version that was read. */
export const putBack = ({ value, etag }: Now, past: Value) => {
  if (isTodo(value) && isTodo(past)) {
    const { todoTitle, finished } = past
    return ask(() => todos.patch({ value, etag }, { todoTitle, finished }))
  }
  const profile = Object.entries(past).filter(([field]) => fieldsOf('members').includes(field))
  return ask(() =>
    members.update({ value: value as Member, etag }, Object.fromEntries(profile) as MemberUpdate),
  )
}

/** A member needs a new password, so its form opens; a todo is created at once. */
export const createAgain = async (past: Value, version: number) => {
  if (!isTodo(past)) return go('members/new', { from: past.memberId, version: String(version) })
  const { todoId } = await createTodo({ todoTitle: past.todoTitle })
  if (past.finished) await finishTodo(todoId)
  go(`todos/${todoId}/history`)
}

export const hrefOf = (room: Room, id: string) => hrefTo(room === 'members' ? `members/${id}` : 'todos')
