import { Flag, Id, OffsetTimestamp, ReadOnly, Requested, Shown, Text, type ValueOf } from '#core/schema.ts'

export const maxTitleLength = 30

/** Each field of a todo stands here, and is a column of its table. */
export const todoFields = {
  todoId: ReadOnly(Id),
  todoTitle: Text(1, maxTitleLength),
  finished: Flag,
  createdAt: ReadOnly(OffsetTimestamp),
}

export const Todo = Shown('todo', todoFields)
export type Todo = ValueOf<typeof Todo> & { readonly version: number }

/** A new todo is open, whatever the request says. */
export const NewTodo = Requested('todo', { ...todoFields, finished: ReadOnly(Flag) })
export type NewTodo = ValueOf<typeof NewTodo>

export const TodoChange = Requested('todo', todoFields)
export type TodoChange = ValueOf<typeof TodoChange>
