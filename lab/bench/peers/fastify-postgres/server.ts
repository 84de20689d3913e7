import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import postgres from 'postgres'

interface Todo {
  todoId: string
  todoTitle: string
  finished: boolean
  createdAt: Date
}

const sql = postgres(process.env.DATABASE ?? '', { max: 10, onnotice: () => {} })
await sql`create table if not exists todo (
  todo_id uuid primary key, todo_title text not null, finished boolean not null, created_at timestamptz not null)`
const columns = sql`todo_id as "todoId", todo_title as "todoTitle", finished, created_at as "createdAt"`

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

app.get(
  '/api/v1/todos',
  { schema: { response: { 200: { type: 'array', items: Todo } } } },
  () => sql<Todo[]>`select ${columns} from todo order by created_at`,
)

app.post<{ Body: { todoTitle: string } }>(
  '/api/v1/todos',
  { schema: { body: NewTodo, response: { 201: Todo } } },
  async (request, reply) => {
    const [todo] = await sql<Todo[]>`
      insert into todo values (${randomUUID()}, ${request.body.todoTitle}, false, ${new Date()}) returning ${columns}`
    return reply.code(201).header('Location', `/api/v1/todos/${todo?.todoId}`).send(todo)
  },
)

app.get<ById>('/api/v1/todos/:id', { schema: { response: { 200: Todo } } }, async (request, reply) => {
  const [todo] = await sql<Todo[]>`select ${columns} from todo where todo_id = ${request.params.id}`
  return reply.code(todo ? 200 : 404).send(todo ?? notFound)
})

app.put<ById>('/api/v1/todos/:id', { schema: { response: { 200: Todo } } }, async (request, reply) => {
  const [todo] = await sql<Todo[]>`
    update todo set finished = true where todo_id = ${request.params.id} returning ${columns}`
  return reply.code(todo ? 200 : 404).send(todo ?? notFound)
})

app.delete<ById>('/api/v1/todos/:id', async (request, reply) => {
  const { count } = await sql`delete from todo where todo_id = ${request.params.id}`
  return count === 0 ? reply.code(404).send(notFound) : reply.code(204).send()
})

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
