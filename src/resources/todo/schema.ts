import type { Static } from 'typebox'
import { Flag, Id, OffsetTimestamp, ReadOnly, Requested, Shown, Text } from '#core/schema.ts'

const fields = {
  todoId: ReadOnly(Id),
  todoTitle: Text(1, 30),
  finished: Flag,
  createdAt: ReadOnly(OffsetTimestamp),
}

export const Todo = Shown('todo', fields)
export type Todo = Static<typeof Todo> & { readonly version: number }

/** A new todo is open, whatever the request says. */
export const NewTodo = Requested('todo', { ...fields, finished: ReadOnly(Flag) })
export type NewTodo = Static<typeof NewTodo>

export const TodoChange = Requested('todo', fields)
export type TodoChange = Static<typeof TodoChange>
