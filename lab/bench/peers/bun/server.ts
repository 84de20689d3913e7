// @ts-nocheck: run by Bun, whose types are not installed here.
import { Database } from 'bun:sqlite'

const db = new Database(process.env.DATABASE, { create: true })
db.exec('pragma journal_mode = WAL')
db.exec('pragma synchronous = FULL')
db.exec(
  'create table if not exists todo (todo_id text primary key, todo_title text not null, finished integer not null, created_at text not null)',
)
const all = db.query('select * from todo order by rowid')
const find = db.query('select * from todo where todo_id = ?')
const insert = db.query('insert into todo values (?, ?, 0, ?)')
const finish = db.query('update todo set finished = 1 where todo_id = ?')
const remove = db.query('delete from todo where todo_id = ?')

const shown = (row) => ({
  todoId: row.todo_id,
  todoTitle: row.todo_title,
  finished: row.finished === 1,
  createdAt: row.created_at,
})

const notFound = () => Response.json({ code: 'notFound', message: 'Resource not found.' }, { status: 404 })
const invalid = () => Response.json({ code: 'invalid', message: 'Invalid request body.' }, { status: 400 })

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  routes: {
    '/api/v1/todos': {
      GET: () => Response.json(all.all().map(shown)),
      POST: async (request) => {
        const { todoTitle } = await request.json()
        if (typeof todoTitle !== 'string' || todoTitle.length < 1 || todoTitle.length > 30) return invalid()
        const todo = {
          todoId: crypto.randomUUID(),
          todoTitle,
          finished: false,
          createdAt: new Date().toISOString(),
        }
        insert.run(todo.todoId, todo.todoTitle, todo.createdAt)
        return Response.json(todo, {
          status: 201,
          headers: { Location: `/api/v1/todos/${todo.todoId}` },
        })
      },
    },
    '/api/v1/todos/:id': {
      GET: (request) => {
        const row = find.get(request.params.id)
        return row ? Response.json(shown(row)) : notFound()
      },
      PUT: (request) => {
        finish.run(request.params.id)
        const row = find.get(request.params.id)
        return row ? Response.json(shown(row)) : notFound()
      },
      DELETE: (request) =>
        remove.run(request.params.id).changes === 0 ? notFound() : new Response(null, { status: 204 }),
    },
  },
  error: invalid,
  fetch: notFound,
})
