import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import express, { type NextFunction, type Request, type Response } from 'express'

interface Row {
  todo_id: string
  todo_title: string
  finished: number
  created_at: string
}

const db = new Database(process.env.DATABASE)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec(
  'create table if not exists todo (todo_id text primary key, todo_title text not null, finished integer not null, created_at text not null)',
)
const all = db.prepare<[], Row>('select * from todo order by rowid')
const find = db.prepare<[string], Row>('select * from todo where todo_id = ?')
const insert = db.prepare<[string, string, string]>('insert into todo values (?, ?, 0, ?)')
const finish = db.prepare<[string]>('update todo set finished = 1 where todo_id = ?')
const remove = db.prepare<[string]>('delete from todo where todo_id = ?')

const shown = (row: Row) => ({
  todoId: row.todo_id,
  todoTitle: row.todo_title,
  finished: row.finished === 1,
  createdAt: row.created_at,
})

const notFound = { code: 'notFound', message: 'Resource not found.' }

const app = express()
app.use(express.json())

app.get('/api/v1/todos', (_request, response) => {
  response.json(all.all().map(shown))
})

app.post('/api/v1/todos', (request, response) => {
  const todoTitle: unknown = request.body?.todoTitle
  if (typeof todoTitle !== 'string' || todoTitle.length < 1 || todoTitle.length > 30)
    return response.status(400).json({ code: 'invalid', message: 'todoTitle must have 1 to 30 characters.' })
  const todo = { todoId: randomUUID(), todoTitle, finished: false, createdAt: new Date().toISOString() }
  insert.run(todo.todoId, todo.todoTitle, todo.createdAt)
  return response.status(201).location(`/api/v1/todos/${todo.todoId}`).json(todo)
})

app.get('/api/v1/todos/:id', (request, response) => {
  const row = find.get(request.params.id)
  return row ? response.json(shown(row)) : response.status(404).json(notFound)
})

app.put('/api/v1/todos/:id', (request, response) => {
  finish.run(request.params.id)
  const row = find.get(request.params.id)
  return row ? response.json(shown(row)) : response.status(404).json(notFound)
})

app.delete('/api/v1/todos/:id', (request, response) => {
  if (remove.run(request.params.id).changes === 0) return response.status(404).json(notFound)
  return response.status(204).end()
})

app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) => {
  response.status(400).json({ code: 'unreadable', message: 'Request body format error occurred.' })
})

app.listen(Number(process.env.PORT), '127.0.0.1')
