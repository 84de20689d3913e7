import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asRoot, basic, startBasic } from '../access/callers.ts'
import { databases } from '../engines.ts'
import { csv, importsOf } from './imports.ts'

const headings = ['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress', 'password']
const row = (name: string, password: string) => [
  name,
  'Lee',
  '2',
  '1990-04-01',
  `${name}@example.com`,
  password,
]

for (const { name, url, skip } of databases)
  test(`${name}: no answer shows a password of a file, and its member comes in with it`, {
    skip,
  }, async (t) => {
    const api = await startBasic(t, { DATABASE_URL: await url(t) })
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
