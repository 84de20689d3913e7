import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFolder } from '../cli/folder.ts'
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
const todos = [{ todoTitle: '007' }, { todoTitle: 'true' }, { todoTitle: '1.4.90' }]

test('an import of an unchanged export changes nothing', async (t) => {
  const api = await startApp(t)
  for (const body of members) assert.equal((await api('POST /members', body)).status, 201)
  for (const body of todos) assert.equal((await api('POST /todos', body)).status, 201)
  const { folder, good } = openFolder()
  const imports = importsOf(api)
  for (const what of ['members', 'todos'])
    for (const format of ['csv', 'ndjson', 'json']) {
      const file = `${what}.${format}`
      await good(['export', what, file, '--without-hashes', '--url', api.url], '')
      const importId = await imports.upload(what, await readFile(join(folder, file)))
      const { counts, open } = await imports.in(importId, 'ready')
      assert.deepEqual(
        [counts.unchanged, counts.rows, open],
        [counts.rows, what === 'todos' ? 3 : 2, []],
        file,
      )
    }
  const spreadsheet = (await readFile(join(folder, 'members.csv'), 'utf8')).replace(',"",', ',,')
  const { counts } = await imports.in(await imports.upload('members', spreadsheet), 'ready')
  assert.equal(counts.unchanged, 2, 'a spreadsheet writes an empty text as an empty cell')
})
