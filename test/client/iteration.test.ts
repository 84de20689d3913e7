import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RollcallError, rollcall, unwrap } from '#src/client/index.ts'
import { startApp } from '../harness.ts'

const start = async (t: TestContext) => rollcall((await startApp(t)).url)

test('each() yields every item of a collection once, and pages() yields the collection page by page', async (t) => {
  const { todos } = await start(t)
  for (let count = 0; count < 7; count++) unwrap(await todos.create({ todoTitle: `Todo ${count}` }))
  const titles = await Array.fromAsync(todos.each({ size: 3 }), ({ todoTitle }) => todoTitle)
  assert.deepEqual(titles, ['Todo 0', 'Todo 1', 'Todo 2', 'Todo 3', 'Todo 4', 'Todo 5', 'Todo 6'])
  const sizes = await Array.fromAsync(
    todos.pages({ size: 3, sort: 'todoTitle,desc' }),
    ({ content }) => content.length,
  )
  assert.deepEqual(sizes, [3, 3, 1])
  const page = unwrap(await todos.page({ page: 1, size: 3, finished: false })).value
  assert.deepEqual([page.totalElements, page.numberOfElements, page.last], [7, 3, false])
  assert.equal(unwrap(await todos.list()).value.length, 7)
})

test('iteration over a list resumes from the cursor of a page, but only in the same sort order', async (t) => {
  const { todos } = await start(t)
  for (let count = 0; count < 5; count++) unwrap(await todos.create({ todoTitle: `Todo ${count}` }))
  const query = { size: 2, sort: 'todoTitle,desc', finished: false } as const
  const cursors: (string | undefined)[] = []
  for await (const { next } of todos.pages(query)) cursors.push(next)
  assert.equal(cursors.length, 3)
  const [cursor, , last] = cursors
  assert.equal(last, undefined)
  const rest = await Array.fromAsync(todos.each({ ...query, cursor }), ({ todoTitle }) => todoTitle)
  assert.deepEqual(rest, ['Todo 2', 'Todo 1', 'Todo 0'])
  const pages = await Array.fromAsync(todos.pages({ ...query, cursor }), ({ content }) => content.length)
  assert.deepEqual(pages, [2, 1])
  await assert.rejects(todos.each({ ...query, sort: 'todoTitle', cursor }).next(), RollcallError)
})

test('undefined query parameters are ignored', async (t) => {
  const { todos } = await start(t)
  unwrap(await todos.create({ todoTitle: 'Buy milk' }))
  const nothing = { size: undefined, sort: undefined, finished: undefined, createdFrom: undefined }
  const page = unwrap(await todos.page({ ...nothing, page: undefined }, { signal: undefined })).value
  assert.deepEqual([page.totalElements, page.number, page.size], [1, 0, 20])
  const [walked] = await Array.fromAsync(todos.each({ ...nothing, cursor: undefined }))
  assert.equal(walked?.todoTitle, 'Buy milk')
})
