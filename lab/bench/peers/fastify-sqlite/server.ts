import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

interface Row {
  todo_id: string
  todo_title: string
  finished: number
  created_at: string
}

const db = new DatabaseSync(process.env.DATABASE ?? ':memory:')
db.exec('pragma journal_mode = WAL; pragma synchronous = FULL')
db.exec(
  'create table if not exists todo (todo_id text primary key, todo_title text not null, finished integer not null, created_at text not null)',
)
const all = db.prepare('select * from todo order by rowid')
const find = db.prepare('select * from todo where todo_id = ?')
const insert = db.prepare('insert into todo values (?, ?, 0, ?)')
const finish = db.prepare('update todo set finished = 1 where todo_id = ?')
const remove = db.prepare('delete from todo where todo_id = ?')

const shown = (row: unknown) => {
  const { todo_id, todo_title, finished, created_at } = row as Row
  return { todoId: todo_id, todoTitle: todo_title, finished: finished === 1, createdAt: created_at }
}

const Todo = {
  type: 'object',
  properties: {
    todoId: { type: 'string' },
    todoTitle: { type: 'string' },
    finished: { type: 'boolean' },
    createdAt: { type: 'string' },
  },
}
const NewTodo = {
  type: 'object',
  required: ['todoTitle'],
  properties: { todoTitle: { type: 'string', minLength: 1, maxLength: 30 } },
}
const notFound = { code: 'notFound', message: 'Resource not found.' }

interface ById {
  Params: { id: string }
}

const app = fastify()

app.get('/api/v1/todos', { schema: { response: { 200: { type: 'array', items: Todo } } } }, () =>
  all.all().map(shown),
)

app.post<{ Body: { todoTitle: string } }>(
  '/api/v1/todos',
  { schema: { body: NewTodo, response: { 201: Todo } } },
  (request, reply) => {
    const { todoTitle } = request.body
    const todo = { todoId: randomUUID(), todoTitle, finished: false, createdAt: new Date().toISOString() }
    insert.run(todo.todoId, todo.todoTitle, todo.createdAt)
    return reply.code(201).header('Location', `/api/v1/todos/${todo.todoId}`).send(todo)
  },
)

app.get<ById>('/api/v1/todos/:id', { schema: { response: { 200: Todo } } }, (request, reply) => {
  const row = find.get(request.params.id)
  return reply.code(row ? 200 : 404).send(row ? shown(row) : notFound)
})

app.put<ById>('/api/v1/todos/:id', { schema: { response: { 200: Todo } } }, (request, reply) => {
  finish.run(request.params.id)
  const row = find.get(request.params.id)
  return reply.code(row ? 200 : 404).send(row ? shown(row) : notFound)
})

app.delete<ById>('/api/v1/todos/:id', (request, reply) =>
  remove.run(request.params.id).changes === 0 ? reply.code(404).send(notFound) : reply.code(204).send(),
)

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
