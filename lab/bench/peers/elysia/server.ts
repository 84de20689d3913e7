// @ts-nocheck: run by Bun, whose types are not installed here.
import { Database } from 'bun:sqlite'
import { Elysia, t } from 'elysia'

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

const notFound = { code: 'notFound', message: 'Resource not found.' }
const NewTodo = t.Object({ todoTitle: t.String({ minLength: 1, maxLength: 30 }) })

new Elysia({ prefix: '/api/v1/todos' })
  .get('/', () => all.all().map(shown))
  .post(
    '/',
    ({ body, set }) => {
      const { todoTitle } = body
      const todo = {
        todoId: crypto.randomUUID(),
        todoTitle,
        finished: false,
        createdAt: new Date().toISOString(),
      }
      insert.run(todo.todoId, todo.todoTitle, todo.createdAt)
      set.status = 201
      set.headers.location = `/api/v1/todos/${todo.todoId}`
      return todo
    },
    { body: NewTodo },
  )
  .get('/:id', ({ params, status }) => {
    const row = find.get(params.id)
    return row ? shown(row) : status(404, notFound)
  })
  .put('/:id', ({ params, status }) => {
    finish.run(params.id)
    const row = find.get(params.id)
    return row ? shown(row) : status(404, notFound)
  })
  .delete('/:id', ({ params, status }) =>
    remove.run(params.id).changes === 0 ? status(404, notFound) : status(204, undefined),
  )
  .listen({ port: Number(process.env.PORT), hostname: '127.0.0.1' })
