import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { asRoot, basic, fieldOf, startBasic } from '../access/callers.ts'
import { startApp } from '../harness.ts'
import { until } from '../sql/suite/things.ts'
import { serviceFile } from '../sqlite-file.ts'
import { csv, importsOf, patch } from './imports.ts'

const headings = ['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress', 'password']
const row = (name: string, password: string) => [
  name,
  'Lee',
  '2',
  '1990-04-01',
  `${name}@example.com`,
  password,
]

test('no answer shows a password of a file, and its member can sign in with it', async (t) => {
  const api = await startBasic(t)
  const shown: string[] = []
  const imports = importsOf(async (line, body, headers) => {
    const answer = await api(line, body, { ...headers, ...asRoot })
    shown.push(answer.text)
    return answer
  })
  const rows = [row('ann', 'swordfish-secret'), row('bob', 'secret')]
  const importId = await imports.upload('members', csv(headings, rows))
  const { columns, counts } = await imports.in(importId, 'ready')
  assert.deepEqual([counts.new, counts.refused, columns[5]?.samples], [1, 1, []])
  const [refused] = await imports.rows(importId, 'refused')
  assert.partialDeepStrictEqual(refused?.faults, [{ field: 'credential.password', value: null }])
  await imports.rows(importId)
  await imports.act(importId, 'apply')
  await imports.in(importId, 'done')
  await imports.rows(importId)
  assert.doesNotMatch(shown.join('\n'), /secret/)
  const asAnn = basic('ann@example.com', 'swordfish-secret')
  assert.equal((await api('GET /members/me', undefined, asAnn)).status, 200)
})

test('no table shows a password or the file, and the file is gone once the import is applied', async (t) => {
  const DATABASE_URL = serviceFile()
  const api = await startApp(t, { DATABASE_URL }, { taskPeriodMs: 20 })
  const imports = importsOf(api)
  const importId = await imports.upload('members', csv(headings, [row('ann', 'swordfish-secret')]))
  await imports.in(importId, 'ready')
  const staged = (table: string) => {
    using database = new DatabaseSync(DATABASE_URL.replace('sqlite:', ''), { readOnly: true })
    return database.prepare(`SELECT * FROM ${table}`).all()
  }
  const shown = [...staged('import_row'), ...staged('import_piece')].flatMap((row) =>
    Object.values(row).map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    ),
  )
  assert.match(shown.join('\n'), /ann@example\.com/, 'what is no secret is shown once it is judged')
  assert.doesNotMatch(shown.join('\n'), /swordfish/)
  const replaced = await api(
    `PATCH /imports/${importId}/rows`,
    { field: 'credential.password', from: 'a', to: 'b' },
    patch,
  )
  assert.equal(replaced.status, 400)
  await imports.act(importId, 'apply')
  await imports.in(importId, 'done')
  const changed = await api(`PATCH /imports/${importId}`, { options: { header: 0 } }, patch)
  assert.deepEqual([changed.status, fieldOf(changed, 'code')], [409, 'e.xx.im.8001'])
  await until(() => staged('import_piece').length === 0)
})
