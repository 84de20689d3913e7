import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFolder, recordsOf } from '../cli/folder.ts'
import { rollcall } from '../cli/warm.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { importsOf } from './imports.ts'

/** Values that a spreadsheet or another reader would change. */
const members = [
  { ...john, firstName: ' Ann ', telephoneNumber: '+49 30 1234', zipCode: '', address: '=1+1, "x"\ny' },
  {
    ...john,
    firstName: 'ａｎｎ',
    emailAddress: 'two@example.com',
    address: "'quoted",
    credential: { signId: 'two', password: 'demodemo' },
  },
]
const todos = ['007', 'true', '1.4.90', "'=1", "''+49", '-5', '\u3000\r\n', "'"].map((todoTitle) => ({
  todoTitle,
}))

test('an import of an unchanged export changes nothing', async (t) => {
  const api = await startApp(t)
  for (const body of members) assert.equal((await api('POST /members', body)).status, 201)
  for (const body of todos) assert.equal((await api('POST /todos', body)).status, 201)
  const { folder, url, good, write } = openFolder()
  const imports = importsOf(api)
  for (const what of ['members', 'todos'])
    for (const format of ['csv', 'ndjson', 'json']) {
      const file = `${what}.${format}`
      await good(['export', what, file, '--without-hashes', '--url', api.url], '')
      const importId = await imports.upload(what, await readFile(join(folder, file)))
      const { counts, open } = await imports.in(importId, 'ready')
      assert.deepEqual(
        [counts.unchanged, counts.rows, open],
        [counts.rows, what === 'todos' ? todos.length : 2, []],
        file,
      )
    }
  const spreadsheet = (await readFile(join(folder, 'members.csv'), 'utf8')).replace(',"",', ',,')
  const { counts } = await imports.in(await imports.upload('members', spreadsheet), 'ready')
  assert.equal(counts.unchanged, 2, 'a spreadsheet writes an empty text as an empty cell')
  const exact = await readFile(join(folder, 'todos.csv'), 'utf8')
  await write('console.csv', exact.replace(',-5,', ",'-5,"))
  for (const file of ['todos.csv', 'console.csv']) {
    await good(['import', 'todos', file, '--exact'], url(`${file}.db`))
    const copies = recordsOf(await good(['todo', 'list', '--json'], url(`${file}.db`)))
    assert.deepEqual(
      copies.map(({ todoTitle }) => ({ todoTitle })),
      todos,
      file,
    )
  }
})

test('a workbook that an export wrote in another time zone comes back with the same times', async () => {
  const { folder, url, write } = openFolder()
  const module = `import { resource, Text, UtcTimestamp } from 'rollcall/resource'
    export const visit = resource({ name: 'visit', fields: { who: Text(1, 20), at: UtcTimestamp } })`
  await write('visit.ts', module)
  const environment = { DATABASE_URL: url('a.db'), RESOURCES: './visit.ts', TIME_ZONE: 'America/New_York' }
  const run = async (...args: readonly string[]) => {
    const { code, out, err } = await rollcall(args, { cwd: folder, environment })
    assert.equal(code, 0, err)
    return out
  }
  for (const at of ['2026-07-01T12:00:00.000Z', '2026-12-31T23:30:05.000Z'])
    await run('visit', 'add', '--who', 'Ann', '--at', at)
  await run('export', 'visits', 'visits.xlsx', '--columns', 'visitId,who,at')
  assert.match(await run('import', 'visits', 'visits.xlsx'), /^0 new, 0 changed, 2 unchanged/)
})
