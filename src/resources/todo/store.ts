import { foldForSearch } from '#core/fold.ts'
import { isId } from '#core/id.ts'
import { Version } from '#core/schema.ts'
import type { Announce } from '#ledger/change-log.ts'
import { type Database, nothing, type Row, type Transaction } from '#sql/database.ts'
import { deriveAgain } from '#sql/derive.ts'
import { and, listing, type Selection } from '#sql/listing.ts'
import { containing, empty, key, lookup, raw, sql } from '#sql/query.ts'
import { table } from '#sql/table.ts'
import { type Todo, todoFields } from './schema.ts'
import type { TodoFilter, TodoStore } from './service.ts'

export const todoTable = table({
  name: 'todo',
  fields: { ...todoFields, version: Version },
  key: 'todoId',
  fixed: ['createdAt'],
  derived: { title_folded: ({ todoTitle }) => foldForSearch(todoTitle) },
})

const { version: _, ...sortable } = todoTable.sortable()

export const todoSortable = Object.keys(sortable)

export const todoStore = (db: Database, announce: Announce): TodoStore => {
  return {
    ...listing(db, { make: todoTable.make, select: selection, sortable, position: 'todoId' }),

    find: (todoId) => (isId(todoId) ? db.find(todoById(todoId), todoTable.make) : nothing),

    insert: async (todo) => {
      await db.run(todoTable.insert(todo), todoCreated(announce, todo))
    },

    replace: async (todo, changed) => {
      const { todoId, version } = todo
      const updated = announce({ type: 'todo.updated', subject: todoId, changed })
      const replaced = await db.run(
        sql`${todoTable.update(todo)} AND version = ${version - 1}`,
        updated(version, todo),
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
        if (last !== undefined) await tx.enter(deleted(last + 1))
        return last !== undefined
      })
    },
  }
}

/** What todos are found by is otherwise than when they were written. */
export const renewTitles = (tx: Transaction) => deriveAgain(tx, todoTable, async () => undefined)

/** Enters a new todo in the log of changes. */
export const todoCreated = (announce: Announce, todo: Todo) =>
  announce({ type: 'todo.created', subject: todo.todoId, changed: writable })(todo.version, todo)

/** The fields that a new todo is given. */
const writable = ['todoTitle', 'finished']

const toVersion = (row: Row) => Number(row.version)

const todoById = lookup({ select: `SELECT ${todoTable.selected}`, from: 'todo', key: 'todo_id' })

const selection = ({ title, finished, createdFrom, createdTo }: TodoFilter): Selection => {
  const where = and([
    title === undefined ? empty : containing('title_folded', foldForSearch(title)),
    finished === undefined ? empty : sql`finished = ${finished}`,
    createdFrom === undefined ? empty : sql`created_at >= ${createdFrom}`,
    createdTo === undefined ? empty : sql`created_at < ${createdTo}`,
  ])
  return { ...everything, where, isIndexed: where === empty }
}

const everything = {
  select: raw(`SELECT ${todoTable.selected}`),
  from: raw('todo'),
  count: raw('SELECT count(*) AS total FROM todo'),
  position: 'todo_id',
}
