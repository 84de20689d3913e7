import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import { Pool } from 'pg'

interface Todo {
  todoId: string
  todoTitle: string
  finished: boolean
  createdAt: Date
}

const pool = new Pool({ connectionString: process.env.DATABASE, max: 10 })
await pool.query(`create table if not exists todo (
  todo_id uuid primary key, todo_title text not null, finished boolean not null, created_at timestamptz not null)`)
const columns = 'todo_id as "todoId", todo_title as "todoTitle", finished, created_at as "createdAt"'

const Todo = {
  type: 'object',
  properties: {
    todoId: { type: 'string' },
    todoTitle: { type: 'string' },
    finished: { type: 'boolean' },
    createdAt: { type: 'string', format: 'date-time' },
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

app.get('/api/v1/todos', { schema: { response: { 200: { type: 'array', items: Todo } } } }, async () => {
  const { rows } = await pool.query<Todo>(`select ${columns} from todo order by created_at`)
  return rows
})

app.post<{ Body: { todoTitle: string } }>(
  '/api/v1/todos',
  { schema: { body: NewTodo, response: { 201: Todo } } },
  async (request, reply) => {
    const { rows } = await pool.query<Todo>({
      name: 'insert',
      text: `insert into todo values ($1, $2, false, $3) returning ${columns}`,
      values: [randomUUID(), request.body.todoTitle, new Date()],
    })
    return reply.code(201).header('Location', `/api/v1/todos/${rows[0]?.todoId}`).send(rows[0])
  },
)

app.get<ById>('/api/v1/todos/:id', { schema: { response: { 200: Todo } } }, async (request, reply) => {
  const text = `select ${columns} from todo where todo_id = $1`
  const { rows } = await pool.query<Todo>({ name: 'find', text, values: [request.params.id] })
  return reply.code(rows[0] ? 200 : 404).send(rows[0] ?? notFound)
})

app.put<ById>('/api/v1/todos/:id', { schema: { response: { 200: Todo } } }, async (request, reply) => {
  const text = `update todo set finished = true where todo_id = $1 returning ${columns}`
  const { rows } = await pool.query<Todo>({ name: 'finish', text, values: [request.params.id] })
  return reply.code(rows[0] ? 200 : 404).send(rows[0] ?? notFound)
})

app.delete<ById>('/api/v1/todos/:id', async (request, reply) => {
  const text = 'delete from todo where todo_id = $1'
  const { rowCount } = await pool.query({ name: 'remove', text, values: [request.params.id] })
  return rowCount === 0 ? reply.code(404).send(notFound) : reply.code(204).send()
})

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
