import { verifyLogged } from '#ledger/change-records.ts'
import type { Resource } from '#resources/resource.ts'
import { faultyRows } from '#sql/records.ts'
import { todoDocument } from './document.ts'
import { foreignTodo } from './foreign.ts'
import { ImportedTodo, todoRecords, unsent } from './records.ts'
import { todoRoutes } from './routes.ts'
import { todoService } from './service.ts'
import { renewTitles, todoStore, todoTable } from './store.ts'

export const todo: Resource = {
  name: 'todo',
  plural: 'todos',
  migrations: new URL('./migrations/', import.meta.url),
  finishes: { '002-title': renewTitles },
  document: todoDocument,
  imported: ImportedTodo,
  foreign: foreignTodo,
  changes: ['todo.created', 'todo.updated', 'todo.deleted'],
  unsent,
  records: todoRecords,
  async *verify(db) {
    yield* faultyRows(db, todoTable)
    const { selected, make } = todoTable
    yield* verifyLogged(db, { room: 'todo', table: todoTable, selected, make, values: 'kept' })
  },
  open: ({ db, clock, newId, timeZone, announce }) => ({
    routes: (http) =>
      todoRoutes(http, todoService({ store: todoStore(db, announce), clock, newId }), timeZone),
  }),
}
