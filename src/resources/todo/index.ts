import type { Resource } from '#resources/resource.ts'
import { todoWords } from './messages.ts'
import { todoRoutes } from './routes.ts'
import { todoService } from './service.ts'
import { todoStore } from './store.ts'

export const todo: Resource = {
  name: 'todo',
  migrations: new URL('./migrations/', import.meta.url),
  words: todoWords,
  open: ({ db, clock, newId, timeZone }) => ({
    routes: (http) => todoRoutes(http, todoService({ store: todoStore(db), clock, newId }), timeZone),
  }),
}
