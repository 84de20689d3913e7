import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { crc32, deflateRawSync } from 'node:zlib'
import { FileRefused } from './refused.ts'
import { type FileOptions, formatOf, rowsOfFile } from './rows.ts'

/** The bytes in pieces of one length, so that a boundary may fall anywhere. */
async function* pieces(bytes: Buffer, length = bytes.length || 1) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const read = (bytes: Buffer, options?: FileOptions, length?: number) =>
  Array.fromAsync(rowsOfFile(pieces(bytes, length), options))

const cellsOf = async (bytes: Buffer, options?: FileOptions) =>
  (await read(bytes, options)).map(({ cells }) => cells)

const refused = async (bytes: Buffer, code: string, says: RegExp, options?: FileOptions) =>
  assert.rejects(read(bytes, options), (error) => {
    assert.ok(error instanceof FileRefused, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, says)
    assert.notEqual(error.sentence('ja'), error.message)
    return true
  })

const table = [
  ['姓', '名'],
  ['山田', '花子'],
]
const japanese = Buffer.from([
  ...[0x90, 0xa9, 0x2c, 0x96, 0xbc, 0x0a],
  ...[0x8e, 0x52, 0x93, 0x63, 0x2c, 0x89, 0xd4, 0x8e, 0x71],
])
const csvFiles: readonly (readonly [string, Buffer, FileOptions?])[] = [
  ['UTF-8', Buffer.from('姓,名\n山田,花子')],
  ['UTF-8 with a byte order mark, semicolons and CRLF', Buffer.from('\ufeff姓;名\r\n山田;花子\r\n')],
  ['UTF-16, little-endian', Buffer.from('\ufeff姓\t名\n山田\t花子', 'utf16le')],
  ['UTF-16, big-endian', Buffer.from('\ufeff姓|名\n山田|花子', 'utf16le').swap16()],
  ['Shift_JIS', japanese],
  ['a first line that sets the separator, as Excel writes it', Buffer.from('sep=:\n姓:名\n山田:花子')],
]
for (const [name, bytes, options] of csvFiles)
  test(`a table is read in ${name}, however it is split into chunks`, async () => {
    assert.deepEqual(await cellsOf(bytes, options), table)
    const rows = await read(bytes, options, 1)
    assert.deepEqual(
      rows.map(({ cells }) => cells),
      table,
    )
  })

test('the separator is the one that gives most rows the same number of columns, not one in a title or in quotes', async () => {
  const file = 'Staff, Berlin\nName;City\n"Ann; B";1,5\nBob;2,5\n'
  assert.deepEqual(await cellsOf(Buffer.from(file)), [
    ['Staff, Berlin'],
    ['Name', 'City'],
    ['Ann; B', '1,5'],
    ['Bob', '2,5'],
  ])
  assert.deepEqual(await cellsOf(Buffer.from('name\nAnn\n')), [['name'], ['Ann']])
})

test('Western European letters that are also valid Shift_JIS are read as Windows-1252', async () => {
  for (const text of ['André;Müller', 'Jäger;Schröder', 'Öztürk;Straße'])
    assert.deepEqual(await cellsOf(Buffer.from(text, 'latin1')), [text.split(';')])
  assert.equal(formatOf(Buffer.from('ﾀﾛｳ,a')).kind, 'csv')
})

test('the first letter that is not ASCII decides the encoding, however late it comes', async () => {
  const rows = Array.from({ length: 9000 }, (_, at) => `${at},x\n`).join('')
  const file = Buffer.concat([Buffer.from(rows), japanese])
  assert.deepEqual((await cellsOf(file)).slice(-2), table)
  const mixed = Buffer.concat([Buffer.from(`ä,b\n${rows}`), Buffer.from([0xe4, 0x0a])])
  await refused(mixed, 'encoding', /^Line 9002 cannot be read as utf-8: choose another encoding\.$/)
  assert.equal((await read(mixed, { encoding: 'windows-1252' })).length, 9002)
})

test('JSON objects are read from a list, from lines, or as a single object; each malformed object is one fault', async () => {
  const list = '[{"a":1},\n{"a":{"b":"x"}}, {"a":1,"a":2}]'
  const rows = await read(Buffer.from(list), {}, 1)
  assert.deepEqual(
    rows.map(({ line, cells, fault }) => [line, cells, fault?.code]),
    [
      [1, { a: 1 }, undefined],
      [2, { a: { b: 'x' } }, undefined],
      [3, [], 'DuplicateName'],
    ],
  )
  const lines = await read(Buffer.from('{"a":1}\n\n7\n{"a"\n{"a":2}'), {}, 3)
  assert.deepEqual(
    lines.map(({ line, cells, fault }) => [line, cells, fault?.code, fault?.args?.line]),
    [
      [1, { a: 1 }, undefined, undefined],
      [3, [], 'NotAnObject', undefined],
      [4, [], 'Syntax', 4],
      [5, { a: 2 }, undefined, undefined],
    ],
  )
  assert.deepEqual(await cellsOf(Buffer.from('{\n  "a": 1\n}\n')), [{ a: 1 }])
})

const refusals: readonly (readonly [string, Buffer, string, RegExp])[] = [
  ['nothing', Buffer.alloc(0), 'empty', /no records/],
  ['blanks alone', Buffer.from(' \n\n'), 'empty', /no records/],
  ['an empty list', Buffer.from('[]'), 'empty', /no records/],
  ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]), 'binary', /save it as CSV or as \.xlsx/],
  ['an open quote', Buffer.from('a,b\n"c,d'), 'open', /line 2 is never closed/],
  ['a quote that ends early', Buffer.from('a,b\n"c"d,e'), 'early', /line 2/],
  ['a list that was cut off', Buffer.from('[{"a":1},\n{"a"'), 'json', /see line 2/],
  [
    'a line that is too long',
    Buffer.from(`{"a":"${'x'.repeat(1024 * 1024)}"}`),
    'long',
    /Line 1 is too long/,
  ],
  [
    'an object of a list that is too long',
    Buffer.from(`[\n{"a":"${'x'.repeat(1024 * 1024)}"}]`),
    'long',
    /Line 2 is too long/,
  ],
  ['too many bytes', Buffer.alloc(64 * 1024 ** 2 + 1, 'a\n'), 'large', /larger than 64 MiB/],
  [
    'a workbook of Excel 97 or with a password',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'protected',
    /password/,
  ],
]
for (const [name, bytes, code, says] of refusals)
  test(`the refusal of a file is one sentence: ${name}`, () => refused(bytes, code, says))

/** Unusual properties of an archive entry. */
interface PartQuirks {
  readonly isStored?: boolean
  readonly hasDescriptor?: boolean
  readonly flags?: number
  readonly crc?: number
  readonly size?: number
}

/** A zip archive as programs write them: sizes in front of each part, or behind it. */
const zipped = (parts: Readonly<Record<string, string>>, quirks: PartQuirks = {}): Buffer => {
  const { isStored = false, hasDescriptor = false, flags = hasDescriptor ? 8 : 0 } = quirks
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(parts)) {
    const packed = isStored ? Buffer.from(text) : deflateRawSync(text)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(flags, 2)
    fields.writeUInt16LE(isStored ? 0 : 8, 4)
    const directoryFields = Buffer.from(fields)
    for (const into of hasDescriptor ? [directoryFields] : [directoryFields, fields]) {
      into.writeUInt32LE(quirks.crc ?? crc32(text), 10)
      into.writeUInt32LE(quirks.size ?? packed.length, 14)
      into.writeUInt32LE(Buffer.byteLength(text), 18)
    }
    for (const into of [directoryFields, fields]) into.writeUInt16LE(Buffer.byteLength(name), 22)
    const descriptor = Buffer.alloc(hasDescriptor ? 16 : 0, 'PK\u0007\u0008')
    const body = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed, descriptor])
    const more = Buffer.alloc(14)
    more.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), directoryFields, more, Buffer.from(name)]),
    )
    bodies.push(body)
    offset += body.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, ...directory, end])
}

const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const relationships = (...targets: readonly (readonly [kind: string, target: string])[]) =>
  `<Relationships>${targets
    .map(([kind, target], at) => `<Relationship Id="r${at}" Type="${types}/${kind}" Target="${target}"/>`)
    .join('')}</Relationships>`

interface Book {
  readonly rows?: string
  readonly shared?: string
  readonly formats?: readonly string[]
  readonly is1904?: boolean
}

/** The parts of a workbook whose second sheet has these rows. The first one is hidden. */
const bookOf = ({ rows = '', shared = '', formats = [], is1904 = false }: Book) => ({
  '_rels/.rels': relationships(['officeDocument', '/xl/workbook.xml']),
  'xl/workbook.xml': `<?xml version="1.0" encoding="UTF-8"?><workbook xmlns:r="${types}"><workbookPr date1904="${is1904 ? 1 : 0}"/>
    <sheets><sheet name="Old" state="hidden" r:id="r2"/><sheet name="Staff" r:id="r3"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relationships(
    ['sharedStrings', 'sharedStrings.xml'],
    ['styles', 'styles.xml'],
    ['worksheet', 'worksheets/sheet1.xml'],
    ['worksheet', '/xl/worksheets/sheet2.xml'],
  ),
  'xl/worksheets/sheet1.xml':
    '<worksheet><sheetData><row><c t="inlineStr"><is><t>old</t></is></c></row></sheetData></worksheet>',
  'xl/worksheets/sheet2.xml': `<x:worksheet xmlns:x="x"><x:sheetData>${rows.replaceAll(/<(\/?)/g, '<$1x:')}</x:sheetData></x:worksheet>`,
  'xl/styles.xml': `<styleSheet><numFmts>${formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`).join('')}</numFmts>
    <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
    <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>${formats.map((_, at) => `<xf numFmtId="${200 + at}"/>`).join('')}</cellXfs></styleSheet>`,
  'xl/sharedStrings.xml': `<sst>${shared}</sst>`,
})

const workbook = (book: Book, quirks?: PartQuirks) => zipped(bookOf(book), quirks)

const quirky: Book = {
  rows: `<row r="3"><c r="B3" t="s"><v>0</v></c><c r="D3" t="s"><v>1</v></c><c r="XFD3" s="1"/></row>
    <row r="7"><c t="inlineStr"><is><r><t>Ann </t></r><r><t xml:space="preserve">B.</t></r></is></c><c t="b"><v>1</v></c></row>
    <row><c t="str"><f>A1&amp;"x"</f><v>a_x000D_b</v></c><c><v>0.30000000000000004</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>1990-04-01T00:00:00</v></c></row>
    <row r="9"><c s="1"/></row><row r="5"><c><v>4.93012345678E11</v></c></row>`,
  shared:
    '<si><t>山田</t><rPh sb="0" eb="2"><t>ヤマダ</t></rPh><phoneticPr fontId="1"/></si><si><r><rPr><b/></rPr><t>rich </t></r><r><t>text</t></r></si>',
}
const quirkyRows = [
  [3, [undefined, '山田', undefined, 'rich text']],
  [7, ['Ann B.', 'TRUE']],
  [8, ['a\rb', '0.3', '#N/A', '1990-04-01T00:00:00']],
  [10, ['493012345678']],
]
for (const quirks of [{}, { isStored: true }, { hasDescriptor: true }])
  test(`the cells of a workbook are read in every form that programs write: ${JSON.stringify(quirks)}`, async () => {
    const rows = await read(workbook(quirky, quirks), {}, 100)
    assert.deepEqual(
      rows.map(({ line, cells }) => [line, cells]),
      quirkyRows,
    )
  })

test('a long sheet is accepted if it is stored without compression', async () => {
  const rows = `<row><c><v>1</v></c></row>`.repeat(100_000)
  assert.equal((await read(workbook({ rows }, { isStored: true }))).length, 100_000)
})

test('the first visible sheet or the named sheet is read, and an unknown name is refused with the existing names', async () => {
  const told: string[] = []
  const onSheets = (names: readonly string[]) => void told.push(...names)
  assert.deepEqual(await cellsOf(workbook(quirky), { sheet: 'Old', onSheets }), [['old']])
  assert.deepEqual(told, ['Old', 'Staff'])
  await refused(workbook(quirky), 'sheet', /no sheet named 2026: choose one of Old, Staff\./, {
    sheet: '2026',
  })
})

const formats = [
  'yyyy/mm/dd',
  '[$-411]ggge&quot;年&quot;m&quot;月&quot;d&quot;日&quot;;@',
  '[h]:mm',
  '00000',
  '000\\-0000',
  '#,##0.00\\ [$€-407]',
  '[Red]0&quot;d&quot;',
  'General',
]
const numbers: readonly (readonly [text: string, style: number, shown: string])[] = [
  ['32964', 1, '1990-04-01'],
  ['32964.5', 2, '1990-04-01T12:00:00'],
  ['32964', 3, '1990-04-01'],
  ['0.5', 4, '12:00:00'],
  ['59', 1, '1900-02-28'],
  ['61', 1, '1900-03-01'],
  ['-1', 1, '-1'],
  ['1067', 5, '01067'],
  ['1000001', 6, '100-0001'],
  ['1.5', 7, '1.5'],
  ['3', 8, '3'],
  ['2024', 9, '2024'],
  ['9007199254740991', 0, '9007199254740991'],
]
test('a number is written as its cell shows it: dates, post codes, and no digits that nobody typed', async () => {
  const rows = numbers.map(([text, style]) => `<row><c s="${style}"><v>${text}</v></c></row>`).join('')
  assert.deepEqual(
    await cellsOf(workbook({ rows, formats })),
    numbers.map(([, , shown]) => [shown]),
  )
  const [first] = await cellsOf(workbook({ rows, formats, is1904: true }))
  assert.deepEqual(first, ['1994-04-02'])
})

test('a workbook of another program (openpyxl) is read with its title, dates, post codes and rich text', async () => {
  const file = readFileSync(new URL(import.meta.resolve('#test/resources/staff.xlsx')))
  assert.deepEqual(await cellsOf(file), [
    ['Mitarbeiter am Standort Köln'],
    ['Name', 'Geburtsdatum', 'PLZ', 'Aktiv', 'Eintritt'],
    ['Müller, Jürgen', '1990-04-01', '01067', 'TRUE', '2020-01-02T08:30:00'],
    ['髙橋 花子', '1987-08-18', '50667', 'FALSE'],
  ])
})

const [part] = Object.entries(bookOf({}))
const bomb = `<row>${'<c/>'.repeat(8_000_000)}</row>`
const deepText = `<row><c t="inlineStr"><is><t>${'x'.repeat(2_000_000)}</t></is></c></row>`
const wide = '<row r="2"><c r="XFD2"><v>1</v></c></row>'
const doctype = { 'xl/sharedStrings.xml': '<!DOCTYPE sst [<!ENTITY a "b">]><sst/>' }
const broken: readonly (readonly [string, Buffer, string, RegExp])[] = [
  ['cut off', workbook(quirky).subarray(0, 900), 'damaged', /damaged or incomplete/],
  ['with a wrong checksum', workbook(quirky, { crc: 1 }), 'damaged', /damaged/],
  ['with a wrong length', workbook(quirky, { size: 20 }), 'damaged', /damaged/],
  ['with parts that are encrypted', workbook(quirky, { flags: 1 }), 'protected', /password/],
  ['in zip64', workbook(quirky, { size: 0xffffffff }), 'zip64', /zip64/],
  ['of another program', zipped({ 'word/document.xml': '<a/>' }), 'workbook', /not an Excel workbook/],
  [
    'with its parts missing',
    zipped(Object.fromEntries([part ?? ['', '']])),
    'workbook',
    /not an Excel workbook/,
  ],
  [
    'whose shared texts fill the memory',
    zipped({
      ...bookOf({ shared: `<si><t>${'x'.repeat(20_000)}</t></si>`.repeat(3400) }),
      filler: randomBytes(200_000).toString('hex'),
    }),
    'unpacked',
    /too large for a table/,
  ],
  [
    'with more cell formats than Excel allows',
    zipped({
      ...bookOf(quirky),
      'xl/styles.xml': `<styleSheet><cellXfs>${'<xf/>'.repeat(70_000)}</cellXfs></styleSheet>`,
    }),
    'damaged',
    /damaged/,
  ],
  ['that unpacks without end', workbook({ rows: bomb }), 'unpacked', /too large for a table/],
  ['with a cell of two million letters', workbook({ rows: deepText }), 'damaged', /damaged/],
  ['with a document type', zipped({ ...bookOf(quirky), ...doctype }), 'damaged', /damaged/],
  ['with too many columns', workbook({ rows: wide }), 'columns', /Row 2 has more than 1024 columns/],
  ['without rows', workbook({}), 'empty', /no records/],
]
for (const [name, bytes, code, says] of broken)
  test(`the refusal of a workbook is one sentence: ${name}`, () => refused(bytes, code, says))
