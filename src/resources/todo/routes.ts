import { flagParameter, instantParameter, textParameter } from '#http/api/query.ts'
import type { Routes } from '#http/api/routes.ts'
import { maxTitleLength, NewTodo, Todo, TodoChange } from './schema.ts'
import type { TodoService } from './service.ts'
import { todoSortable } from './store.ts'

const shows = { full: Todo }

export const todoRoutes = (http: Routes, todos: TodoService, timeZone: string) => {
  const filter = {
    title: textParameter(
      'Todos whose title contains this text. Case, width and accents are ignored.',
      maxTitleLength,
    ),
    finished: flagParameter('Only finished todos, or only open ones.'),
    createdFrom: instantParameter('Created at this time or later.', timeZone),
    createdTo: instantParameter('Created before this time.', timeZone),
  }

  http.list(
    '/todos',
    {
      operation: 'todos:read',
      summary: 'List todos',
      shows,
      filter,
      sortable: todoSortable,
      names: 'todoId',
    },
    todos,
  )
  http.post(
    '/todos',
    { operation: 'todos:create', summary: 'Create a todo', shows, body: NewTodo, names: 'todoId' },
    ({ body }) => todos.create(body),
  )
  http.get('/todos/:todoId', { operation: 'todos:read', summary: 'Get a todo', shows }, ({ params }) =>
    todos.find(params.todoId),
  )
  http.history(
    '/todos/:todoId/history',
    { operation: 'todos:history', summary: 'Get the history of a todo', shows },
    ({ params }) => todos.find(params.todoId),
  )
  http.put(
    '/todos/:todoId',
    { operation: 'todos:update', summary: 'Finish a todo', shows },
    ({ params, expected }) => todos.finish(params.todoId, expected),
  )
  http.patch(
    '/todos/:todoId',
    { operation: 'todos:update', summary: 'Change a todo', shows, body: TodoChange },
    ({ params, body, expected }) => todos.change(params.todoId, body, expected),
  )
  http.delete(
    '/todos/:todoId',
    { operation: 'todos:delete', summary: 'Delete a todo' },
    ({ params, expected }) => todos.remove(params.todoId, expected),
  )
}
