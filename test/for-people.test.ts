import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type DisplayField, displayCsv, fullNameOf } from '#core/display.ts'
import { displaySheet } from '#core/sheet.ts'
import { rowsOfFile } from '#resources/import/files/rows.ts'
import { openFolder } from './cli/folder.ts'
import { startApp } from './harness.ts'
import { john } from './people.ts'

/** The rows that the import's reader of workbooks finds. */
const cellsIn = async (file: Buffer) =>
  (await Array.fromAsync(rowsOfFile(once(file)))).map(({ cells }) => cells as readonly unknown[])

async function* once<T>(one: T) {
  yield one
}

const nameOf = (id: string) => `the ${id}`

const sheetOf = async (columns: readonly DisplayField[], records: readonly object[], timeZone = 'UTC') => {
  const table = { title: 'a/b: [c]', columns, batches: once(records), nameOf }
  return Buffer.concat(await Array.fromAsync(displaySheet(table, timeZone)))
}

const columns: readonly DisplayField[] = [
  { name: 'title', label: 'Title & <more>', kind: 'text' },
  { name: 'a.day', label: 'Day', kind: 'day' },
  { name: 'at', label: 'At', kind: 'time' },
  { name: 'copies', label: 'Copies', kind: 'whole' },
  { name: 'kind', label: 'Kind', kind: 'code', texts: { book: 'Book' } },
  { name: 'owner', label: 'Owner', kind: 'reference' },
]

const records = [
  {
    title: '=1 & "<x>"\n2',
    a: { day: '1990-04-01' },
    at: '2026-11-30T20:15:30.250Z',
    copies: 0,
    kind: 'book',
    owner: 'cat',
  },
  { title: '007', a: { day: '1850-02-28' }, at: null, copies: 12, kind: 'film', owner: '' },
]

test('A workbook has unchanged texts, numbers, local dates, and the names of codes and references.', async () => {
  assert.deepEqual(await cellsIn(await sheetOf(columns, records, 'Asia/Tokyo')), [
    ['Title & <more>', 'Day', 'At', 'Copies', 'Kind', 'Owner'],
    ['=1 & "<x>"\n2', '1990-04-01', '2026-12-01T05:15:30', '0', 'Book', 'the cat'],
    ['007', '1850-02-28', undefined, '12', 'film'],
  ])
})

test('A workbook has no part of a text that is too long for a cell, and reads no text as an escape.', async () => {
  const [, row] = await cellsIn(await sheetOf(columns, [{ title: '_x0041_ _x000D_' }]))
  assert.deepEqual(row, ['_x0041_ _x000D_'])
  await assert.rejects(sheetOf(columns, [{ title: 'x'.repeat(32_768) }]), /32767 characters: choose CSV\./)
})

test('The columns of a workbook continue after Z, as AA and BA.', async () => {
  const many = Array.from({ length: 60 }, (_, at) => ({ name: `f${at}`, label: `F${at}`, kind: 'text' }))
  const [head, row] = await cellsIn(await sheetOf(many, [{ f26: 'AA', f52: 'BA', f59: 'BH' }]))
  assert.deepEqual([head?.length, row?.[26], row?.[52], row?.[59]], [60, 'AA', 'BA', 'BH'])
})

test('If the source of the records fails, the writing of the workbook fails with the same error.', async () => {
  async function* failing() {
    yield records
    throw new Error('the list broke off')
  }
  const table = { title: 'x', columns, batches: failing(), nameOf }
  await assert.rejects(Array.fromAsync(displaySheet(table)), /the list broke off/)
})

test('CSV for people begins with a byte order mark, and its formulas are inert.', async () => {
  const dates = { day: (day: string) => `day ${day}`, time: (instant: string) => `at ${instant}` }
  const table = { title: 'x', columns: columns.slice(0, 4), batches: once(records), nameOf }
  const pieces = await Array.fromAsync(displayCsv(table, dates))
  assert.equal(
    pieces.join(''),
    `\uFEFFTitle & <more>,Day,At,Copies\r\n"'=1 & ""<x>""\n2",day 1990-04-01,at 2026-11-30T20:15:30.250Z,0\r\n007,day 1850-02-28,,12\r\n`,
  )
})

test('A family name comes first in Japanese, and in names in a script that begins with the family name.', () => {
  assert.equal(fullNameOf('Ann', 'Smith', 'en'), 'Ann Smith')
  assert.equal(fullNameOf('Ann', 'Smith', 'ja'), 'Smith Ann')
  assert.equal(fullNameOf('花子', '山田', 'en'), '山田 花子')
})

const loan = `
  import { CodeList, Day, Flag, Reference, resource, Text, UtcTimestamp, Whole } from 'rollcall/resource'
  export const fine = resource({ name: 'fine', fields: { visitId: Reference('visit'), amount: Whole(0) } })
  export const visit = resource({ name: 'visit', fields: { memberId: Reference('member'), loanId: Reference('loan') } })
  export const loan = resource({
    name: 'loan',
    fields: { memberId: Reference('member'), title: Text(1, 60), due: Day, kind: CodeList('CL_LOAN', ['book', 'tool']), fragile: Flag, at: UtcTimestamp },
    words: { en: { loan: ['Loan', 'Loans'], 'kind.book': 'Book' }, ja: { loan: ['貸出', '貸出'], title: '題名', 'kind.book': '本' } },
  })`

test('an export for people is in the chosen language, and its members can be imported again', async () => {
  const { folder, url, good, write } = openFolder()
  const database = url('a.db')
  await write('loan.ts', loan)
  const people =
    'firstName,lastName,genderCode,dateOfBirth,emailAddress,zipCode\nAnn,Lee,2,1990-04-01,ann@example.com,01067\n花子,山田,1,1985-12-31,hanako@example.com,\n'
  await write('people.csv', people)
  const run = (...args: readonly string[]) => good([...args, '--resources', './loan.ts'], database)
  await run('import', 'members', 'people.csv', '--passwords', 'none')
  const ids = (await run('export', 'members', '--without-hashes')).match(/(?<="memberId":")[^"]+/g) ?? []
  for (const id of ids) {
    const said = ['--title', '007', '--due', '2027-01-31', '--kind', 'book', '--fragile', 'true']
    await run('loan', 'add', '--member-id', id, ...said, '--at', '2026-11-30T20:15:00.000Z')
  }
  const columns = ['--columns', 'title,memberId,kind,fragile,due,at']
  assert.equal(
    await run('export', 'loans', '--for-people', ...columns, '--time-zone', 'Asia/Tokyo', '--locale', 'ja'),
    '\uFEFF題名,Member,Kind,Fragile,Due,At\r\n007,Lee Ann,本,はい,2027/01/31,2026/12/01 5:15\r\n007,山田 花子,本,はい,2027/01/31,2026/12/01 5:15\r\n',
  )
  await run('export', 'loans', 'loans.xlsx', ...columns)
  assert.deepEqual(await cellsIn(await readFile(join(folder, 'loans.xlsx'))), [
    ['Title', 'Member', 'Kind', 'Fragile', 'Due', 'At'],
    ['007', 'Ann Lee', 'Book', 'Yes', '2027-01-31', '2026-11-30T20:15:00'],
    ['007', '山田 花子', 'Book', 'Yes', '2027-01-31', '2026-11-30T20:15:00'],
  ])
  const list = async (resource: string) => JSON.parse(await run(resource, 'list', '--json', '--limit', '1'))
  const { loanId, memberId = '' } = await list('loan')
  await run('visit', 'add', '--member-id', memberId, '--loan-id', loanId)
  await run('fine', 'add', '--visit-id', (await list('visit')).visitId, '--amount', '3')
  // A visit has no text of its own.
  const fines = await run('export', 'fines', '--for-people', '--columns', 'visitId,amount')
  assert.equal(fines, '\uFEFFVisit,Amount\r\nAnn Lee · 007,3\r\n')
  for (const [file, locale] of [
    ['people.xlsx', 'ja'],
    ['people.csv', 'en'],
  ] as const) {
    const target = `export-${file}`
    await run('export', 'members', target, '--for-people', '--locale', locale)
    const outcome = await run('import', 'members', target, '--dry-run')
    assert.match(outcome, /^0 new, 0 changed, 2 unchanged, 0 refused; nothing is written\.\n$/)
  }
})

test('an export for people can be made from a running service, has no password hashes, and refuses flags of other exports', async (t) => {
  const api = await startApp(t)
  await api('POST /members', john)
  const { run, folder, url } = openFolder()
  const there = ['--url', api.url]
  const ended = await run(
    ['export', 'members', 'm.xlsx', '--columns', 'genderCode,credential.signId', ...there],
    url('a.db'),
  )
  assert.equal(ended.code, 0, ended.err)
  assert.deepEqual(await cellsIn(await readFile(join(folder, 'm.xlsx'))), [
    ['Gender', 'Sign id'],
    ['Man', 'john.smith@example.com'],
  ])
  for (const [args, says] of [
    [['m.json', '--for-people'], /--for-people writes CSV or \.xlsx\./],
    [['m.csv', '--columns', 'firstName'], /--columns needs --for-people\./],
    [
      ['m.csv', '--for-people', '--columns', 'shoe'],
      /There is no column shoe: choose from memberId, firstName, /,
    ],
  ] as const) {
    const { code, err } = await run(['export', 'members', ...args, ...there], url('a.db'))
    assert.equal(code, 2)
    assert.match(err, says)
  }
})
