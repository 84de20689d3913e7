import { formatUtc } from '#core/formats.ts'
import { Flag, Id, Nullable, Requested, Text, TimestampText, type ValueOf } from '#core/schema.ts'
import { importedId, importedInstant, isFound, uniqueId } from '#resources/imported.ts'
import type { Change, RoomRecords } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { type StoredRecord, type Table, tableRecords } from '#sql/records.ts'
import { maxTitleLength } from './schema.ts'

export const todoTable: Table = {
  name: 'todo',
  columns: ['todo_id', 'todo_title', 'finished', 'created_at', 'version'],
  key: 'todo_id',
  flags: ['finished'],
}

/** What a file may contain for a todo. */
export const ImportedTodo = Requested('todo', {
  todoId: Nullable(Id),
  todoTitle: Text(1, maxTitleLength),
  finished: Nullable(Flag),
  createdAt: Nullable(TimestampText),
})
type Imported = ValueOf<typeof ImportedTodo>

/** The API creates every todo open. */
export const unsent = (record: object, created: object): Change | undefined => {
  const { finished } = record as Partial<Imported>
  const { todoId } = created as { readonly todoId?: string }
  return finished === true ? { path: `/todos/${todoId}`, body: { finished } } : undefined
}

/** Todos as stored, and as a file holds them. */
export const todoRecords = (db: Database): RoomRecords => ({
  ...tableRecords(db, todoTable),
  name: 'todos',
  fields: ['todoId', 'todoTitle', 'finished', 'createdAt'],

  async read(body, { newId, now }) {
    const { todoId, todoTitle, finished, createdAt } = body as Imported
    return {
      todo_id: importedId('todoId', todoId, newId),
      todo_title: todoTitle,
      finished: finished ?? false,
      created_at: importedInstant('createdAt', createdAt) ?? now,
      version: 1,
    }
  },

  shown: ({ todo_id, todo_title, finished, created_at }: StoredRecord) => ({
    todoId: todo_id,
    todoTitle: todo_title,
    finished,
    createdAt: formatUtc(Number(created_at)),
  }),

  unique: ({ todo_id }) => [
    uniqueId('todoId', String(todo_id), () => isFound(db, todoWithId(String(todo_id)))),
  ],
})

const todoWithId = (todoId: string) => sql`SELECT todo_id FROM todo WHERE todo_id = ${key(todoId)}`
