import type { Member, MemberUpdate, Todo } from '#client/index.ts'
import { ask, members, todos } from '#console/app/api/ask.ts'
import type { Room } from '#console/app/api/changes.ts'
import { profileFields } from '#console/app/members/fields.ts'
import { inOrder } from '#console/app/members/name.ts'
import { textsOf } from '#console/app/members/record.tsx'
import { go } from '#console/app/state/route.ts'
import type { Words } from '#console/app/words/index.ts'
import { displayText } from '#console/app/words/visible.ts'
import type { HistoryWords } from './words.ts'

export type Value = Member | Todo

const isTodo = (value: object): value is Todo => 'todoTitle' in value

/** The fields of what somebody wrote, in the order of the page. */
const ownFields = (): readonly string[] => [...inOrder(profileFields), 'todoTitle', 'finished']

/** Fields that were changed, in the order of the page. */
export const inPageOrder = (changed: readonly string[]) =>
  [...new Set([...ownFields(), ...changed])].filter((field) => changed.includes(field))

/** The fields in which two versions differ, of those that can be put back. */
export const differences = (one: Value, other: Value) =>
  ownFields().filter((field) => one[field as keyof Value] !== other[field as keyof Value])

export const labelOf = (field: string, { members }: Words, { fields, ofWebhooks }: HistoryWords) =>
  ({ ...members.fields, ...fields, ...ofWebhooks })[field as 'address'] ?? field

/** What is shown of a field; empty if nothing is. */
export const textOf = (value: Value, field: string, words: Words) => {
  if (!isTodo(value)) return textsOf(value, words).get(field as 'memberId') ?? ''
  if (field === 'todoTitle') return displayText(value.todoTitle, words)
  return words.todos.filters[value.finished ? 'finished' : 'open']
}

/** The record as it is now. Exactly that version is changed then. */
export const readNow = (room: Room, id: string) =>
  ask<Value>(() => (room === 'members' ? members.get(id) : todos.get(id)) as ReturnType<typeof todos.get>)

type Now = Awaited<ReturnType<typeof readNow>>

export const putBack = ({ value, etag }: Now, past: Value) => {
  const profile = Object.fromEntries(Object.entries(past).filter(([field]) => ownFields().includes(field)))
  return isTodo(value)
    ? ask(() => todos.patch({ value, etag }, profile))
    : ask<Value>(() => members.update({ value, etag }, profile as MemberUpdate))
}

/** A member needs a new password, so its form opens; a todo is created at once. */
export const createAgain = async (past: Value, version: number) => {
  if (!isTodo(past)) return go('members/new', { from: past.memberId, version: String(version) })
  const { value } = await ask(() => todos.create({ todoTitle: past.todoTitle }))
  const { todoId } = value
  if (past.finished) await ask(() => todos.finish(todoId))
  go(`todos/${todoId}/history`)
}
