import { Flag, Imported, Nullable, type ValueOf } from '#core/schema.ts'
import type { Announce } from '#ledger/change-log.ts'
import { importedInstant, recordsOf } from '#resources/imported.ts'
import type { Change, RoomRecords } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { type Todo, todoFields } from './schema.ts'
import { todoCreated, todoTable } from './store.ts'

/** What a file may contain for a todo. */
export const ImportedTodo = Imported('todo', { ...todoFields, finished: Nullable(Flag) })

/** The API creates every todo open. */
export const unsent = (record: object, created: object): Change | undefined => {
  const { finished } = record as Partial<Todo>
  const { todoId } = created as { readonly todoId?: string }
  return finished === true ? { path: `/todos/${todoId}`, body: { finished } } : undefined
}

/** Todos as stored, and as a file holds them. */
export const todoRecords = (db: Database, announce?: Announce): RoomRecords<Todo> => ({
  ...recordsOf(db, todoTable, 'todos', announce && ((todo) => todoCreated(announce, todo))),

  async read(body, { newId, now }) {
    const { todoId, finished, createdAt, ...rest } = body as ValueOf<typeof ImportedTodo>
    return {
      ...rest,
      todoId: todoId ?? newId(),
      finished: finished ?? false,
      createdAt: importedInstant('createdAt', createdAt) ?? now,
      version: 1,
    }
  },
})
