import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CodeList, resource } from '#src/resource.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { csv, importsOf, patch } from './imports.ts'

const headings = ['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress', 'telephoneNumber']

const start = async (t: TestContext, file: string) => {
  const api = await startApp(t)
  const imports = importsOf(api)
  const importId = await imports.upload('members', file)
  await imports.in(importId, 'ready')
  await imports.change(importId, { options: { passwords: 'none' } })
  const faultsOf = async () =>
    (await imports.rows(importId, 'refused')).map(({ faults }) =>
      faults.map(({ field, code, value }) => [field, code, value]),
    )
  const counts = async () => (await imports.in(importId, 'ready')).counts
  await counts()
  const replaceAll = async (replacement: object) => {
    const answer = await api(`PATCH /imports/${importId}/rows`, replacement, patch)
    assert.equal(answer.status, 200, answer.text)
    await counts()
  }
  return { api, imports, importId, counts, faultsOf, replaceAll }
}

test('a row shows all of its faults, whatever their code', async (t) => {
  const row = ['Ann', '', 'yes', 'soon', 'ann', '4,91512E+11'].map((cell) => `"${cell}"`)
  const { faultsOf } = await start(t, csv(headings.with(5, 'Phone'), [row]))
  assert.deepEqual((await faultsOf())[0]?.toSorted(), [
    ['dateOfBirth', 'WrongType', 'soon'],
    ['emailAddress', 'Email', 'ann'],
    ['genderCode', 'ExistInCodeList', 'yes'],
    ['lastName', 'NotNull', null],
    ['telephoneNumber', 'LostDigits', '4,91512E+11'],
  ])
})

test('a field without a column gets one value in all new records; existing records keep their value', async (t) => {
  const rows = [
    ['Ann', 'Lee', 'ann@example.com'],
    ['Bob', 'Lee', 'bob@example.com'],
  ]
  const { api, imports, importId, counts, faultsOf, replaceAll } = await start(
    t,
    csv(['firstName', 'lastName', 'emailAddress'], rows),
  )
  assert.deepEqual((await faultsOf())[0], [
    ['genderCode', 'NotNull', null],
    ['dateOfBirth', 'NotNull', null],
  ])
  await api('POST /members', { ...john, emailAddress: 'bob@example.com', genderCode: '1' })
  await replaceAll({ field: 'genderCode', from: null, to: '0' })
  await replaceAll({ field: 'dateOfBirth', from: null, to: '1990-04-01' })
  assert.partialDeepStrictEqual(await counts(), { new: 1, changed: 1, refused: 0 })
  const [bob] = await imports.rows(importId, 'changed')
  assert.deepEqual(bob?.record.map(({ field }) => field).toSorted(), ['firstName', 'lastName'])
})

test('a replacement changes all equal values, and can itself be replaced', async (t) => {
  const row = (name: string, gender: string) => [name, 'Lee', gender, '1990-04-01', `${name}@example.com`, '']
  const { counts, replaceAll } = await start(t, csv(headings, [row('ann', 'Firma'), row('bob', 'Firma  ')]))
  await replaceAll({ field: 'genderCode', from: 'Firma', to: 'company' })
  assert.equal((await counts()).refused, 2)
  await replaceAll({ field: 'genderCode', from: 'company', to: '0' })
  assert.equal((await counts()).new, 2)
})

test('rows that a finished import refused can be corrected and applied, and are undone with the others', async (t) => {
  const row = (name: string, gender: string) => [name, 'Lee', gender, '1990-04-01', `${name}@example.com`, '']
  const file = csv(headings, [row('ann', '0'), row('bob', 'Firma'), row('cem', 'club'), row('dee', 'club')])
  const { api, imports, importId, replaceAll } = await start(t, file)
  const apply = async () => {
    await imports.act(importId, 'apply')
    return (await imports.in(importId, 'done')).counts
  }
  const { applied, refused } = await apply()
  assert.deepEqual([applied, refused], [1, 3])
  await imports.correct(importId, 3, [{ field: 'genderCode', value: 'Verein' }])
  assert.equal((await imports.in(importId, 'done')).counts.refused, 3)
  await imports.correct(importId, 3, [{ field: 'genderCode', value: '1' }])
  await imports.in(importId, 'ready')
  assert.equal((await apply()).applied, 2)
  await replaceAll({ field: 'genderCode', from: 'club', to: '2' })
  assert.equal((await apply()).applied, 4)
  await imports.act(importId, 'undo')
  await imports.in(importId, 'undone')
  assert.deepEqual((await api('GET /members')).body, [])
})

test('two people with one e-mail address are imported once one of them gets a sign id of its own', async (t) => {
  const row = (name: string) => [name, 'Lee', '0', '1990-04-01', 'family@example.com', '']
  const { imports, importId, faultsOf } = await start(t, csv(headings, [row('Ann'), row('Bob')]))
  assert.deepEqual(await faultsOf(), [[['credential.signId', 'DuplicateRow', 'family@example.com']]])
  const bob = await imports.correct(importId, 3, [{ field: 'credential.signId', value: 'bob' }])
  assert.equal(bob.outcome, 'new')
})

test('a number in a JSON list is read as text if the field is a text', async (t) => {
  const one = { firstName: 'Ann', lastName: 'Lee', genderCode: 2, dateOfBirth: '1990-04-01' }
  const { counts } = await start(
    t,
    JSON.stringify([{ ...one, emailAddress: 'ann@example.com', telephoneNumber: 4420000000 }]),
  )
  assert.equal((await counts()).new, 1)
})

test('a declared resource names the headings and codes that its imports understand', async (t) => {
  const art = resource({
    name: 'piece',
    fields: { kind: CodeList('CL_PIECE', ['book', 'tool']) },
    headings: { kind: { names: 'Art, category', codes: { book: 'Buch, b' } } },
  })
  const imports = importsOf(await startApp(t, {}, { resources: [art] }))
  const importId = await imports.upload('pieces', csv(['Category'], [['Buch'], ['B'], ['tool']]))
  assert.equal((await imports.in(importId, 'ready')).counts.new, 3)
})

test('columns that fill one text are joined', async (t) => {
  const file = csv(
    [...headings.slice(0, 5), 'Straße', 'Hausnummer', 'PLZ', 'Ort', '都道府県', '市区町村'],
    [
      ['Ann', 'Lee', '0', '1990-04-01', 'ann@example.com', 'Gartenweg', ' 7a', '02826', 'Görlitz', '', ''],
      ['花', '森', '0', '1990-04-01', 'mori@example.com', '', '', '', '', '東京都', '千代田区'],
    ],
  )
  const { imports, importId } = await start(t, file)
  const rows = await imports.rows(importId)
  const addresses = rows.map(({ record }) => record.find(({ field }) => field === 'address')?.value)
  assert.deepEqual(addresses, ['Gartenweg 7a Görlitz', '東京都千代田区'])
})

test('values can be corrected while the rows are being validated again', async (t) => {
  const row = (number: number) => ['Ann', 'Lee', 'Firma', 'soon', `ann${number}@example.com`, '']
  const rows = Array.from({ length: 300 }, (_, number) => row(number))
  const { api, imports, importId, counts } = await start(t, csv(headings, rows))
  const replace = async (field: string, from: string, to: string) =>
    (await api(`PATCH /imports/${importId}/rows`, { field, from, to }, patch)).status
  const statuses = [
    await replace('genderCode', 'Firma', '0'),
    await replace('dateOfBirth', 'soon', '1990-04-01'),
  ]
  const one = await imports.correct(importId, 2, [{ field: 'lastName', value: 'Ray' }])
  assert.deepEqual([...statuses, one.outcome], [200, 200, 'new'])
  assert.equal((await counts()).new, 300)
})
