import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cellText, columnsOf, escapeFormula, readCsv, unescapeFormula, writeCsv } from './csv.ts'

/** Cuts a text into chunks of one length, so that a boundary may fall anywhere. */
async function* chunks(text: string, length: number) {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

const read = (text: string) => Array.fromAsync(readCsv(chunks(text, text.length)))

const letter = fc.constantFrom('a', ',', ';', '\t', '"', '\n', '\r', ' ', 'é', '漢')
const field = fc.option(fc.string({ unit: letter }), { nil: undefined })

test('written CSV is read back unchanged from any chunks, and null and empty stay distinct', async () => {
  const record = fc
    .array(field, { minLength: 2, maxLength: 4 })
    .filter((fields) => fields.some((text) => text !== undefined))
  const records = fc.array(record, { maxLength: 5 }).map((rows) => [['one', 'two'], ...rows])
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 7 }), async (written, length) => {
      const read = await Array.fromAsync(readCsv(chunks(written.map(writeCsv).join(''), length)))
      assert.deepEqual(
        read.map(({ fields }) => fields),
        written,
      )
    }),
  )
})

test('a record has a column for each field, nested fields included', () => {
  const record = { id: 'm1', credential: { signId: 'joe', locked: false }, address: null }
  const columns = columnsOf(record)
  assert.deepEqual(columns, ['id', 'credential.signId', 'credential.locked', 'address'])
  assert.deepEqual(
    columns.map((column) => cellText(record, column)),
    ['m1', 'joe', 'false', undefined],
  )
  assert.equal(cellText({ id: 'm2' }, 'credential.signId'), undefined)
})

test('text that a spreadsheet would read as a formula gets a leading apostrophe', () => {
  for (const text of [
    '=1',
    '+1',
    '-1',
    '@a',
    '＝1',
    '＋1',
    '－1',
    '＠a',
    ' =1',
    '\u3000＝1',
    '\ta',
    '\ra',
    '\na',
  ])
    assert.equal(escapeFormula(text), `'${text}`)
  for (const text of ['', ' a', 'a=1', '1-1', "'a"]) assert.equal(escapeFormula(text), text)
  for (const text of ["'=1", "''-1", "'a", '=1']) assert.equal(unescapeFormula(escapeFormula(text)), text)
})

test('a record has the number of its first line, even if it arrives in several chunks', async () => {
  const read = await Array.fromAsync(readCsv(chunks('a,b\r\n"x\ny",1\n\nc,""', 3)))
  assert.deepEqual(
    read.map(({ line, fields }) => [line, ...fields]),
    [
      [1, 'a', 'b'],
      [2, 'x\ny', '1'],
      [5, 'c', ''],
    ],
  )
})

test('the first unquoted separator on the first line is the only separator of the file', async () => {
  const fieldsOf = async (text: string) => (await read(text)).map(({ fields }) => fields)
  for (const separator of [',', ';', '\t']) {
    const text = `"a,;\t"|b\n"c"|${separator === ',' ? 'd;e' : 'd,e'}\n`.replaceAll('|', separator)
    assert.deepEqual(await fieldsOf(text), [
      ['a,;\t', 'b'],
      ['c', separator === ',' ? 'd;e' : 'd,e'],
    ])
  }
  assert.deepEqual(await fieldsOf('one\nb;c\nd,e\n'), [['one'], ['b;c'], ['d', 'e']])
})

test('a first line sep=; names the separator of the file and is no record', async () => {
  for (const [first, separator] of [
    ['sep=;', ';'],
    ['\ufeffSEP=,', ','],
    ['sep=\t', '\t'],
    ['sep=;;;', ';'],
  ] as const) {
    assert.deepEqual(await read(`${first}\r\na${separator}b\r\n`), [{ line: 2, fields: ['a', 'b'] }], first)
  }
  assert.deepEqual((await read('a\nsep=;\n'))[1]?.fields, ['sep=;'])
  assert.deepEqual((await read('sep=;b\n'))[0]?.fields, ['sep=', 'b'])
})

test('a row of separators alone is skipped; a row with a quoted empty string is a record', async () => {
  const records = await read('a;b\n;\n\n"";\n;;;\nc;d\n')
  assert.deepEqual(
    records.map(({ line, fields }) => [line, ...fields]),
    [
      [1, 'a', 'b'],
      [4, '', undefined],
      [6, 'c', 'd'],
    ],
  )
})

const faulty = [
  ['a,b\n"c,d\ne,f', { fault: 'open', line: 2 }],
  ['a,b\n1,"c\n"d",2\n', { fault: 'early', line: 2 }],
  ['a\n"b" \n', { fault: 'early', line: 2 }],
  [`a\nb\n"${'c'.repeat(1024 * 1024)}"`, { fault: 'long', line: 3 }],
] as const
test('a malformed or overlong quoted field is refused with its line, whether read whole or in chunks', async () => {
  for (const [text, fault] of faulty) {
    await assert.rejects(read(text), fault)
    await assert.rejects(Array.fromAsync(readCsv(chunks(text, 1000))), fault)
  }
})
