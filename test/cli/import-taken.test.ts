import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../engines.ts'
import { numbered } from '../people.ts'
import { lines, openFolder } from './folder.ts'

const idOf = (number: number) => `0198c2a4-0000-7000-8000-00000000000${number}`

const member = (number: number, signId: string) => ({
  ...numbered(number),
  memberId: idOf(number),
  credential: { ...numbered(number).credential, signId },
})

/** The code, target and words of each fault of a record; several are listed under a code of their own. */
const faultsOf = (refusal: string) => {
  const { line, details, ...only } = JSON.parse(refusal)
  if (details) assert.equal(only.code, 'e.xx.fw.8001')
  return [
    line,
    ...(details ?? [only]).map(({ code, target = '', message }: Record<string, string>) => [
      code,
      target,
      message,
    ]),
  ]
}

const idTaken = (target: string) => ['e.xx.fw.8002', target, `Another record has the same ${target}.`]
const signIdTaken = (signId: string) => [
  'e.xx.yy.8001',
  '',
  `Cannot use specified sign id. sign id : ${signId}`,
]

for (const { name, skip, url } of databases)
  test(`a refused record says which of its values are taken, in the file or in the database: ${name}`, {
    skip,
  }, async (t) => {
    const { run, good, write, read } = openFolder()
    const database = await url(t)
    const todo = { todoId: idOf(1), todoTitle: 'a' }
    await write('one.ndjson', lines([member(1, 'one')]))
    await good(['import', 'members', 'one.ndjson'], database)
    await write('todos.ndjson', lines([todo, todo]))
    await write(
      'people.ndjson',
      lines([
        member(2, 'two'),
        member(2, 'three'),
        member(3, 'TWO'),
        member(1, 'four'),
        member(4, 'ONE'),
        member(1, 'one'),
        member(2, 'one'),
      ]),
    )
    for (const manner of [['--dry-run'], []]) {
      const refused = async (what: string, file: string) => {
        assert.equal((await run(['import', what, file, ...manner], database)).code, 1)
        return (await read(`${file}.refused.ndjson`)).trim().split('\n').map(faultsOf)
      }
      assert.deepEqual(
        await refused('members', 'people.ndjson'),
        [
          [2, idTaken('memberId')],
          [3, signIdTaken('TWO')],
          [4, idTaken('memberId')],
          [5, signIdTaken('ONE')],
          [6, idTaken('memberId'), signIdTaken('one')],
          [7, idTaken('memberId'), signIdTaken('one')],
        ],
        manner.join(),
      )
      assert.deepEqual(await refused('todos', 'todos.ndjson'), [[2, idTaken('todoId')]], manner.join())
    }
  })
