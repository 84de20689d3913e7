import type { Resource } from '#resources/resource.ts'
import { faultyRows } from '#sql/records.ts'
import { todoDocument } from './document.ts'
import { todoErrors } from './messages.ts'
import { ImportedTodo, todoRecords, unsent } from './records.ts'
import { todoRoutes } from './routes.ts'
import { todoService } from './service.ts'
import { todoStore, todoTable } from './store.ts'

export const todo: Resource = {
  name: 'todo',
  plural: 'todos',
  migrations: new URL('./migrations/', import.meta.url),
  errors: todoErrors,
  document: todoDocument,
  imported: ImportedTodo,
  unsent,
  records: todoRecords,
  verify: (db) => faultyRows(db, todoTable),
  open: ({ db, clock, newId, timeZone }) => ({
    routes: (http) => todoRoutes(http, todoService({ store: todoStore(db), clock, newId }), timeZone),
  }),
}
