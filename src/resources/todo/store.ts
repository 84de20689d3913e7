import { isId } from '#core/id.ts'
import type { Sortable } from '#core/page.ts'
import type { Announce } from '#ledger/change-log.ts'
import { checksum } from '#sql/checksum.ts'
import { type Database, nothing, type Row } from '#sql/database.ts'
import { and, listing, type Selection } from '#sql/listing.ts'
import { empty, key, lookup, raw, sql } from '#sql/query.ts'
import type { Todo } from './schema.ts'
import type { TodoFilter, TodoStore } from './service.ts'

const sortable = { todoId: 'todo_id', todoTitle: 'todo_title', finished: 'finished', createdAt: 'created_at' }

export const todoSortable = Object.keys(sortable)

export const todoStore = (db: Database, announce: Announce): TodoStore => {
  const lists = listing(db, { make: toTodo, sortable, valueOf: sortValue, positionOf })

  return {
    find: (todoId) => (isId(todoId) ? db.find(todoById(todoId), toTodo) : nothing),

    insert: async (todo) => {
      const { todoId, todoTitle, finished, createdAt, version } = todo
      const created = announce({ type: 'todo.created', subject: todoId, changed: writable })
      await db.run(
        sql`
          INSERT INTO todo (todo_id, todo_title, finished, created_at, version, checksum)
          VALUES (${key(todoId)}, ${todoTitle}, ${finished}, ${createdAt}, ${version}, ${todoChecksum(todo)})`,
        created(version),
      )
    },

    replace: async (todo, changed) => {
      const { todoId, todoTitle, finished, version } = todo
      const updated = announce({ type: 'todo.updated', subject: todoId, changed })
      const replaced = await db.run(
        sql`
          UPDATE todo SET
            todo_title = ${todoTitle}, finished = ${finished}, version = ${version}, checksum = ${todoChecksum(todo)}
          WHERE todo_id = ${key(todoId)} AND version = ${version - 1}`,
        updated(version),
      )
      return replaced === 1
    },

    remove: async (todoId, version) => {
      if (!isId(todoId)) return false
      const deleted = announce({ type: 'todo.deleted', subject: todoId, changed: [] })
      const any = sql`DELETE FROM todo WHERE todo_id = ${key(todoId)}`
      const one = version === undefined ? any : sql`${any} AND version = ${version}`
      return db.write(async (tx) => {
        const [last] = await tx.read(sql`${one} RETURNING version`, toVersion)
        if (last !== undefined) await tx.run(deleted(last + 1))
        return last !== undefined
      })
    },

    page: (filter, request) => lists.page(selection(filter), request),
    slice: (filter, request) => lists.slice(selection(filter), request),
    stream: (filter) => lists.stream(selection(filter)),
  }
}

/** The fields that a new todo is given. */
const writable = ['todoTitle', 'finished']

const toVersion = (row: Row) => Number(row.version)

const columns = 'SELECT todo_id, todo_title, finished, created_at, version'

const todoById = lookup({ select: columns, from: 'todo', key: 'todo_id' })

const selection = ({ finished, createdFrom, createdTo }: TodoFilter): Selection => {
  const where = and([
    finished === undefined ? empty : sql`finished = ${finished}`,
    createdFrom === undefined ? empty : sql`created_at >= ${createdFrom}`,
    createdTo === undefined ? empty : sql`created_at < ${createdTo}`,
  ])
  return { ...everything, where, isIndexed: where === empty }
}

const everything = {
  select: raw(columns),
  from: raw('todo'),
  count: raw('SELECT count(*) AS total FROM todo'),
  position: 'todo_id',
}

const sortValue = (todo: Todo, property: string): Sortable => todo[property as keyof Todo]

const positionOf = ({ todoId }: Todo) => todoId

const todoChecksum = ({ todoId, todoTitle, finished, createdAt, version }: Todo) =>
  checksum([todoId, todoTitle, finished, createdAt, version])

const toTodo = (row: Row): Todo => ({
  todoId: String(row.todo_id),
  todoTitle: String(row.todo_title),
  finished: Boolean(row.finished),
  createdAt: Number(row.created_at),
  version: Number(row.version),
})
