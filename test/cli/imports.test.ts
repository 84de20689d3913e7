import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../harness.ts'
import { openFolder } from './folder.ts'
import { person } from './people.ts'

const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** What is told of the refused records: the line and the targets of the details. */
const reportOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ line, details }) => [line, ...details.map((detail: { target: string }) => detail.target)])
    .toSorted(([one], [other]) => one - other)

const readings = [
  [
    'todos.csv',
    'todoTitle,finished\na,TRUE\nb,True\nc,false\nd,FALSE\ne,\nf,yes\ng,1\nh, true\ni,""\n',
    ['a', 'b'],
    [7, 8, 9, 10],
  ],
  [
    'todos.ndjson',
    lines([true, false, null, 'true', 'yes', 1, ''].map((finished) => ({ todoTitle: 'a', finished }))),
    ['a'],
    [4, 5, 6, 7],
  ],
] as const

for (const [file, text, finished, refused] of readings)
  test(`${file}: whether a todo is finished is read alike into a database and at a service, or refused`, async (t) => {
    const { url, run, write, read } = openFolder()
    const api = await startApp(t)
    await write(file, text)
    for (const where of [[], ['--url', api.url]]) {
      assert.equal((await run(['import', 'todos', file, ...where], url('a.db'))).code, 1)
      const expected = refused.map((line) => [line, 'finished'])
      assert.deepEqual(reportOf(await read(`${file}.refused.ndjson`)), expected, where.join())
      const { out } = await run(['todo', 'list', '--json', ...where], url('a.db'))
      const todos = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.deepEqual(
        todos.filter((todo) => todo.finished).map(({ todoTitle }) => todoTitle),
        finished,
      )
    }
  })

test('what a service would drop for its type is refused as a database import refuses it', async (t) => {
  const { url, run, write, read } = openFolder()
  const api = await startApp(t)
  await write(
    'todos.ndjson',
    lines([
      { todoTitle: 'a', createdAt: 5 },
      { todoTitle: 'b', todoId: {} },
      { todoTitle: 'c', colour: null },
    ]),
  )
  const reports = []
  for (const where of [[], ['--url', api.url]]) {
    assert.equal((await run(['import', 'todos', 'todos.ndjson', ...where], url('a.db'))).code, 1)
    reports.push((await read('todos.ndjson.refused.ndjson')).split('\n').toSorted())
  }
  assert.equal(reports[0]?.length, 4)
  assert.deepEqual(reports[1], reports[0])
})

test('the ids and times of a file that a service does not use are named once', async (t) => {
  const { url, run, write } = openFolder()
  const api = await startApp(t)
  const memberId = '0198c2a4-0000-7000-8000-000000000001'
  const createdAt = '2020-01-01T00:00:00.000Z'
  const credential = { signId: null, password: 'demodemo', passwordHash: null }
  await write('people.ndjson', lines([1, 2].map((n) => ({ ...person(n), memberId, createdAt, credential }))))
  const args = ['import', 'members', 'people.ndjson', '--url', api.url]
  const { code, out, err } = await run(args, url('a.db'))
  assert.deepEqual([code, out], [0, '2 written, 0 refused.\n'])
  assert.equal(err, 'The service assigns its own ids and times; not used: memberId, createdAt.\n')
})
