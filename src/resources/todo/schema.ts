import { Flag, Id, OffsetTimestamp, ReadOnly, Requested, Shown, Text, type ValueOf } from '#core/schema.ts'

export const maxTitleLength = 30

const fields = {
  todoId: ReadOnly(Id),
  todoTitle: Text(1, maxTitleLength),
  finished: Flag,
  createdAt: ReadOnly(OffsetTimestamp),
}

export const Todo = Shown('todo', fields)
export type Todo = ValueOf<typeof Todo> & { readonly version: number }

/** A new todo is open, whatever the request says. */
export const NewTodo = Requested('todo', { ...fields, finished: ReadOnly(Flag) })
export type NewTodo = ValueOf<typeof NewTodo>

export const TodoChange = Requested('todo', fields)
export type TodoChange = ValueOf<typeof TodoChange>
