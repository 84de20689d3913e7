import { randomUUID } from 'node:crypto'
import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Hono } from 'hono'
import { z } from 'zod'

const client = new Database(process.env.DATABASE)
client.pragma('journal_mode = WAL')
client.pragma('synchronous = FULL')
client.exec(
  'create table if not exists todo (todo_id text primary key, todo_title text not null, finished integer not null, created_at text not null)',
)
const todos = sqliteTable('todo', {
  todoId: text('todo_id').primaryKey(),
  todoTitle: text('todo_title').notNull(),
  finished: integer('finished', { mode: 'boolean' }).notNull(),
  createdAt: text('created_at').notNull(),
})
const db = drizzle({ client })

const newTodo = z.object({ todoTitle: z.string().min(1).max(30) })
const notFound = { code: 'notFound', message: 'Resource not found.' }

const app = new Hono().basePath('/api/v1/todos')

app.get('/', (c) => c.json(db.select().from(todos).all()))

app.post('/', zValidator('json', newTodo), (c) => {
  const { todoTitle } = c.req.valid('json')
  const todo = { todoId: randomUUID(), todoTitle, finished: false, createdAt: new Date().toISOString() }
  db.insert(todos).values(todo).run()
  return c.json(todo, 201, { Location: `/api/v1/todos/${todo.todoId}` })
})

app.get('/:id', (c) => {
  const todo = db
    .select()
    .from(todos)
    .where(eq(todos.todoId, c.req.param('id')))
    .get()
  return todo ? c.json(todo) : c.json(notFound, 404)
})

app.put('/:id', (c) => {
  const id = c.req.param('id')
  const [todo] = db.update(todos).set({ finished: true }).where(eq(todos.todoId, id)).returning().all()
  return todo ? c.json(todo) : c.json(notFound, 404)
})

app.delete('/:id', (c) => {
  const { changes } = db
    .delete(todos)
    .where(eq(todos.todoId, c.req.param('id')))
    .run()
  return changes === 0 ? c.json(notFound, 404) : c.body(null, 204)
})

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
