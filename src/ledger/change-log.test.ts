import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflict, Problem } from '#core/problem.ts'
import { todo } from '#resources/todo/index.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { engines } from '#test/engines.ts'
import { newChangeLog } from '#test/new-change-log.ts'
import { serviceActor } from './change-log.ts'

const idOf = (number: number) => `01920000-0000-7000-8000-${String(number).padStart(12, '0')}`
const todoOf = (number: number) => ({
  todoId: idOf(number),
  todoTitle: 'x',
  finished: false,
  ...{ createdAt: 0, lastModifiedAt: 0 },
  version: 1,
})

const logged = (db: Database) =>
  db.read(raw('SELECT * FROM change ORDER BY number'), (row) => ({
    number: Number(row.number),
    what: `${row.type} ${row.version} ${row.changed}`,
    subject: String(row.subject),
    author: String(row.changed_by),
    title: JSON.parse(String(row.value))?.todoTitle,
  }))

for (const { name, open, skip } of engines) {
  test(`${name}: the log contains only those writes of a transaction that succeeded`, { skip }, async (t) => {
    const db = await open(t)
    const todos = todo.store(db, newChangeLog())
    await db.unit(async () => {
      await todos.insert(todoOf(1), serviceActor())
      await assert.rejects(todos.insert(todoOf(1), serviceActor()))
      assert.equal(await todos.replace({ ...todoOf(1), version: 5 }, ['finished'], serviceActor()), undefined)
      await todos.insert(todoOf(2), serviceActor())
      assert.ok(await todos.replace({ ...todoOf(1), version: 2 }, ['finished'], serviceActor()))
    })
    assert.deepEqual(
      (await logged(db)).map(({ what, subject }) => `${what} ${subject.at(-1)}`),
      [
        'todo.created 1 todoTitle,finished 1',
        'todo.created 1 todoTitle,finished 2',
        'todo.updated 2 finished 1',
      ],
    )
  })

  test(`${name}: numbers have no gaps when several clients write and some writes fail`, {
    skip,
  }, async (t) => {
    const db = await open(t)
    const todos = todo.store(db, newChangeLog())
    const numbers = new Map<number | undefined, string>()
    const write = async (number: number) => {
      const actor = { ...serviceActor(), author: `caller ${number}` }
      await todos.insert(todoOf(number), actor)
      numbers.set(actor.pendingChanges[0]?.number, actor.author)
    }
    const fail = (number: number) =>
      db.unit(async () => {
        await todos.insert(todoOf(number), serviceActor())
        throw conflict()
      })
    const writes = Array.from({ length: 60 }, (_, at) => (at % 3 === 2 ? fail(at) : write(at)))
    await Promise.allSettled(writes)
    const found = await logged(db)
    assert.deepEqual(
      found.map(({ number }) => number),
      Array.from({ length: 40 }, (_, at) => at + 1),
    )
    for (const { author, subject, number } of found) {
      assert.equal(author, `caller ${Number(subject.slice(-12))}`)
      assert.equal(numbers.get(number), author, 'the writer learns the number of its change')
    }
  })

  test(`${name}: of several writes that are committed together, only those that changed a row are in the log`, {
    skip,
  }, async (t) => {
    const db = await open(t)
    const todos = todo.store(db, newChangeLog())
    await Promise.all([1, 2, 3].map((number) => todos.insert(todoOf(number), serviceActor())))
    const done = await Promise.all([
      todos.replace({ ...todoOf(1), version: 5 }, ['finished'], serviceActor()),
      todos.replace({ ...todoOf(2), todoTitle: '{"a\\,NULL}', version: 2 }, ['todoTitle'], serviceActor()),
      todos.remove(idOf(4), { expectedVersion: undefined, actor: serviceActor() }),
      todos.remove(idOf(3), { expectedVersion: 1, actor: serviceActor() }),
      todos.insert(todoOf(5), serviceActor()).then(() => true),
    ])
    assert.deepEqual(done.map(Boolean), [false, true, false, true, true])
    const added = (await logged(db)).slice(3)
    assert.deepEqual(
      added.map(({ number }) => number),
      [4, 5, 6],
    )
    assert.deepEqual(
      new Map(added.map(({ subject, what, title }) => [Number(subject.slice(-12)), `${what}: ${title}`])),
      new Map([
        [2, 'todo.updated 2 todoTitle: {"a\\,NULL}'],
        [3, 'todo.deleted 2 : undefined'],
        [5, 'todo.created 1 todoTitle,finished: x'],
      ]),
    )
  })

  test(`${name}: listeners are notified of a change after it is committed`, { skip }, async (t) => {
    const db = await open(t)
    const todos = todo.store(db, newChangeLog())
    const told = Promise.withResolvers<void>()
    await db.listen('change', { onPayload: () => told.resolve(), onLoss: () => undefined })
    await todos.insert(todoOf(1), serviceActor())
    await told.promise
    assert.deepEqual(
      (await logged(db)).map(({ author }) => author),
      ['rollcall'],
    )
  })
}

const postgres = engines.filter(({ name }) => name === 'PostgreSQL')
for (const { open, skip } of postgres)
  test('PostgreSQL: while a commit hangs, other writes are refused and leave nothing behind', {
    skip,
  }, async (t) => {
    const db = await open(t)
    const todos = todo.store(db, newChangeLog())
    const held = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const hanging = db.write(async (tx) => {
      await tx.read(raw('SELECT pg_advisory_xact_lock(1382838371)'), () => undefined)
      held.resolve()
      await free.promise
    })
    await held.promise
    const refused = (error: unknown) => error instanceof Problem && error.kind === 'storageUnavailable'
    await Promise.all([
      assert.rejects(todos.insert(todoOf(1), serviceActor()), refused),
      assert.rejects(
        todos
          .remove(idOf(2), { expectedVersion: undefined, actor: serviceActor() })
          .then(() => todos.insert(todoOf(2), serviceActor())),
        refused,
      ),
    ])
    free.resolve()
    await hanging
    assert.deepEqual(await logged(db), [])
    await todos.insert(todoOf(3), serviceActor())
    assert.deepEqual(
      (await logged(db)).map(({ number }) => number),
      [1],
    )
  })
