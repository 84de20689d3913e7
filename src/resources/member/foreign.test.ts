import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '#console/app/words/en.ts'
import { ja } from '#console/app/words/ja.ts'
import { type Choices, readHeader } from '#core/columns.ts'
import { cellReader, type DateOrder, dateOrderOf, encodingOf, readDate } from '#core/foreign.ts'
import { columnsIn } from '#src/cli/formats/fields.ts'
import { foreignMember } from './foreign.ts'
import { member } from './index.ts'

const columns = { ...columnsIn(member.imported), foreign: foreignMember }

const namesOf = (headings: readonly string[], choices?: Choices) => {
  const header = readHeader(headings, columns, choices)
  return typeof header === 'string' ? header : header.names
}

const headings: readonly (readonly [string, string | undefined])[] = [
  ['FIRST_NAME', 'firstName'],
  [' given  name ', 'firstName'],
  ['Ｆｉｒｓｔ　Ｎａｍｅ', 'firstName'],
  ['氏名（名）', 'firstName'],
  ['氏名', '氏名'],
  ['姓 (必須)', 'lastName'],
  ['Nachname', 'lastName'],
  ['性別', 'genderCode'],
  ['Date of birth (DD/MM/YYYY)', 'dateOfBirth'],
  ['生年月日', 'dateOfBirth'],
  ['E-Mail', 'emailAddress'],
  ['Work Email', 'emailAddress'],
  ['携帯番号', 'telephoneNumber'],
  ['Postal Code', 'zipCode'],
  ['credential.signid', 'credential.signId'],
  ['SIGN ID', 'credential.signId'],
  ['Login', 'credential.signId'],
  ['Reason', undefined],
  ['理由', undefined],
  ['Name', 'Name'],
  ['Last modified at', 'Last modified at'],
  ['#', '#'],
  ['constructor', 'constructor'],
]
for (const [heading, name] of headings)
  test(`a heading names a field by the words of people, or stays as it is: ${heading}`, () => {
    assert.deepEqual(namesOf(['firstName', heading]), ['firstName', name ?? undefined])
  })

test('the labels of the console name their fields in both languages', () => {
  for (const { members } of [en, ja])
    for (const [field, label] of Object.entries(members.fields))
      if (field in foreignMember) assert.deepEqual(namesOf([label, 'memberId']), [field, 'memberId'], label)
})

test('no word means two fields', () => {
  const words = Object.values(foreignMember).flatMap(({ words }) => words.split(', '))
  for (const word of words)
    assert.ok(namesOf(['memberId', word])[1] !== word || columns.known.includes(word), word)
})

test('what somebody chose comes before any word, also to leave a column out', () => {
  const choices = new Map([
    ['nickname', 'firstName'],
    ['email', ''],
  ])
  assert.deepEqual(namesOf(['Nick name', 'E-mail', 'lastName'], choices), [
    'firstName',
    undefined,
    'lastName',
  ])
})

const dates: readonly (readonly [string, string, DateOrder?])[] = [
  ['1990-04-01', '1990-04-01'],
  ['1990/4/1', '1990-04-01'],
  ['1990.04.01', '1990-04-01'],
  ['19900401', '1990-04-01'],
  ['1990-04-01T00:00:00', '1990-04-01'],
  ['1990/04/01 0:00', '1990-04-01'],
  ['1990-04-01T12:30:00', '1990-04-01T12:30:00'],
  ['1.4.1990', '1990-04-01'],
  ['1. 4. 1990', '1990-04-01'],
  ['1.4.1990', '1990-04-01', 'mdy'],
  ['01/04/1990', '01/04/1990'],
  ['01/04/1990', '1990-04-01', 'dmy'],
  ['01/04/1990', '1990-01-04', 'mdy'],
  ['01-04-1990', '1990-04-01', 'dmy'],
  ['13/04/1990', '13/04/1990', 'mdy'],
  ['１９９０年４月１日', '1990-04-01'],
  ['1990年 4月 1日', '1990-04-01'],
  ['昭和60年2月3日', '1985-02-03'],
  ['平成元年1月8日', '1989-01-08'],
  ['江戸3年1月8日', '江戸3年1月8日'],
  ['31.2.1990', '31.2.1990'],
  ['1/4/90', '1/4/90', 'dmy'],
  ['', ''],
]
for (const [text, date, order] of dates)
  test(`a date as people write it: ${text} ${order ?? ''}`, () => {
    assert.equal(readDate(text, order), date)
  })

const orders: readonly (readonly [readonly string[], DateOrder | 'open' | undefined])[] = [
  [['1990-04-01', '1.4.1990', ''], undefined],
  [['01/04/1990', '13/04/1990'], 'dmy'],
  [['01/04/1990', '04/13/1990'], 'mdy'],
  [['01/04/1990'], 'open'],
  [['13/04/1990', '04/13/1990'], 'open'],
]
for (const [texts, order] of orders)
  test(`the order of dates is known if one of them shows it: ${texts.join(' ')}`, () => {
    assert.equal(dateOrderOf(texts), order)
  })

const cells: readonly (readonly [string, string, string, string])[] = [
  ['genderCode', 'genderCode', ' Female ', '2'],
  ['genderCode', 'Sex', 'M', '1'],
  ['genderCode', '性別', '男性', '1'],
  ['genderCode', '性別', '女', '2'],
  ['genderCode', '性別', '１', '1'],
  ['genderCode', 'Gender', 'Männlich', '1'],
  ['genderCode', 'Gender', 'other', '0'],
  ['genderCode', 'Gender', '9', '9'],
  ['telephoneNumber', '電話番号', '０３－１２３４　', '03-1234'],
  ['telephoneNumber', 'telephoneNumber', '０３', '０３'],
  ['address', '住所', '東京都１−２', '東京都１−２'],
  ['lastName', '姓', '　山田 ', '山田'],
  ['firstName', 'firstName', ' a ', ' a '],
  ['credential.signId', 'signId', 'ａ', 'ａ'],
  ['credential.password', 'パスワード', ' ａ ', ' ａ '],
  ['dateOfBirth', 'dateOfBirth', '1990年4月1日', '1990-04-01'],
]
for (const [name, heading, text, value] of cells)
  test(`a cell of ${name} below “${heading}”: “${text}”`, () => {
    assert.equal(cellReader(foreignMember, { heading, name })(text), value)
  })

const bytesOf = (...bytes: readonly number[]) => Uint8Array.from(bytes)
const encoded = [
  [bytesOf(...Buffer.from('\ufeff姓,名')), 'utf-8', '姓,名'],
  [bytesOf(...Buffer.from('\ufeff姓,名', 'utf16le')), 'utf-16le', '姓,名'],
  [bytesOf(...Buffer.from('\ufeff姓,名', 'utf16le').swap16()), 'utf-16be', '姓,名'],
  [bytesOf(0x90, 0xa9, 0x2c, 0x96, 0xbc), 'shift_jis', '姓,名'],
  [bytesOf(...Buffer.from('Andr\xe9,M\xfcller', 'latin1')), 'windows-1252', 'André,Müller'],
  [bytesOf(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d), undefined, ''],
] as const
for (const [bytes, encoding, text] of encoded)
  test(`the encoding of a text is found: ${encoding ?? 'none, if it is no text'}`, () => {
    assert.equal(encodingOf(bytes), encoding)
    if (encoding) assert.equal(new TextDecoder(encoding).decode(bytes), text)
  })
