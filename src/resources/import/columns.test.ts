import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Flag, Nullable, Secret, Text, Whole, WriteOnly } from '#core/schema.ts'
import { memberDeclaration } from '#resources/member/declaration.ts'
import { defaultShapes } from '#resources/member/schema.ts'
import { findHeaderRow, type MappableFields, mapColumns } from './columns.ts'
import { guessNameOrder, type NameOrder, splitName } from './full-name.ts'

const { firstName, lastName, genderCode, dateOfBirth, emailAddress, telephoneNumber, zipCode, address } =
  defaultShapes.fields
const member: MappableFields = {
  fields: {
    ...{ firstName, lastName, genderCode, dateOfBirth, emailAddress, telephoneNumber, zipCode, address },
    'credential.signId': Nullable(Text(0, 256)),
    'credential.password': WriteOnly(Nullable(Secret(8, 128))),
  },
  foreign: memberDeclaration.headings,
  unique: ['credential.signId'],
}

const mapped = (headings: string, samples: readonly string[] = [], known = member) =>
  mapColumns(
    headings.split(';'),
    samples.map((row) => row.split(';')),
    known,
  )

const files: readonly (readonly [string, string, readonly (string | null)[], (readonly string[])?])[] = [
  [
    'an export of Rollcall',
    'memberId;firstName;lastName;genderCode;credential.signId;signId',
    [null, 'firstName', 'lastName', 'genderCode', 'credential.signId', null],
  ],
  [
    'an American system',
    'Employee #;Legal First Name;Legal Last Name;Work Email;Cell Phone;Home Address: Zip Code;Date of Birth (MM/DD/YYYY)',
    [null, 'firstName', 'lastName', 'emailAddress', 'telephoneNumber', 'zipCode', 'dateOfBirth'],
  ],
  [
    'a German system',
    'Personalnr.;Anrede;Name;Vorname;Geb.-Datum / Geburtsdatum;E-Mail-Adresse (geschäftlich);Tel. privat;PLZ;Straße und Ort',
    [
      ...[null, 'genderCode', 'lastName', 'firstName', 'dateOfBirth', 'emailAddress', 'telephoneNumber'],
      ...['zipCode', 'address'],
    ],
  ],
  [
    'a Japanese system',
    '社員番号;姓（カナ）;名（カナ）;姓（漢字）;名（漢字）;性別;生年月日;会社メールアドレス;自宅電話番号;自宅住所',
    [
      ...[null, null, null, 'lastName', 'firstName', 'genderCode', 'dateOfBirth', 'emailAddress'],
      ...['telephoneNumber', 'address'],
    ],
  ],
  [
    'a directory',
    'givenName;sn;mail;homePhone',
    ['firstName', 'lastName', 'emailAddress', 'telephoneNumber'],
  ],
  ['a full name in Japanese', '氏名;フリガナ', ['last first', null], ['山田 花子;ヤマダ ハナコ']],
  [
    'a full name with a comma',
    'Mitarbeiter;Mail',
    ['last, first', 'emailAddress'],
    ['Müller, Jürgen;a@b.de'],
  ],
  [
    'a full name in English',
    'Full name;Contact e-mail',
    ['first last', 'emailAddress'],
    ['Ann Lee;ann@example.com'],
  ],
  [
    'a heading that its samples contradict',
    'Name;Mail stop',
    ['first last', null],
    ['Ann Lee;B 12', 'Bob Lee;C 3'],
  ],
  [
    'the most exact of several headings',
    'Private e-mail;E-mail;E-mail',
    [null, 'emailAddress', null],
    ['a@example.com;b@example.com;c@example.com'],
  ],
  ['the reason column of a report of refused rows', 'Reason;First name;Company', [null, 'firstName', null]],
  [
    'a directory in the cloud',
    'User principal name;accountEnabled;Password [Required]',
    ['credential.signId', null, null],
    ['a@b.de;True;****', 'c@b.de;True;****', 'd@b.de;True;****'],
  ],
  [
    'an address in several columns',
    '現住所：郵便番号;現住所：都道府県;現住所：市区町村;現住所：丁目・番地;Ort;Work Address;City',
    ['zipCode', 'address', 'address', 'address', 'address', null, null],
  ],
  [
    'flags, which cannot identify a person',
    'accountEnabled',
    [null],
    ['True', 'True', 'False', 'True', 'True'],
  ],
  ['short words', 'Name;Geschl.;geb. am', ['first last', 'genderCode', 'dateOfBirth']],
  ['a hash, which is no password', 'credential.passwordHash;Password', [null, 'credential.password']],
]
for (const [name, headings, fields, samples] of files)
  test(`the field of a column is recognised by its heading and its samples: ${name}`, () => {
    assert.deepEqual(mapped(headings, samples), fields)
  })

test('labels in every language name the fields of a declared resource', () => {
  const known = {
    fields: { title: Text(1, 60), isLost: Flag, pages: Nullable(Whole(0)) },
    labels: [
      { title: 'Title', isLost: 'Lost', pages: 'Pages' },
      { title: '題名', isLost: '紛失', pages: 'ページ数' },
    ],
  }
  assert.deepEqual(mapped('題名;Lost;ページ数;Pages', [], known), ['title', 'isLost', 'pages', null])
})

const rowsOf = (...lines: readonly string[]) =>
  lines.map((line, at) => ({ line: at + 1, cells: line.split(';').map((cell) => cell || undefined) }))

test('the row of headings is the one that names most fields, or else the first that is as wide as the table', () => {
  const titled = rowsOf('Staff of Cologne;;', 'as of 2026;;', 'Name;E-mail;PLZ', 'Ann Lee;a@example.com;1')
  assert.equal(findHeaderRow(titled, member)?.line, 3)
  assert.equal(findHeaderRow(rowsOf('Report', 'Foo;Bar', 'a;b'), member)?.line, 2)
  assert.equal(findHeaderRow(rowsOf('Ann;ann@example.com;x', 'Bob;bob@example.com;y'), member), undefined)
  assert.equal(findHeaderRow([], member), undefined)
})

const names: readonly (readonly [string, NameOrder, string | null, string])[] = [
  ['山田　花子', 'last first', '花子', '山田'],
  ['山田 花子 様', 'last first', '花子', '山田'],
  ['山田花子', 'last first', null, '山田花子'],
  ['Müller, Anna Maria', 'last, first', 'Anna Maria', 'Müller'],
  ['Anna Maria Müller', 'first last', 'Anna Maria', 'Müller'],
  ['Herr Ludwig van Beethoven', 'first last', 'Ludwig', 'van Beethoven'],
  ['Mr. Frank de la Rosa', 'first last', 'Frank', 'de la Rosa'],
  ['Van Morrison', 'first last', 'Van', 'Morrison'],
  ['Mrs Missy Ms', 'first last', 'Missy', 'Ms'],
  ['Cher', 'first last', null, 'Cher'],
]
for (const [text, order, first, last] of names)
  test(`a full name is split: ${text} (${order})`, () => {
    assert.deepEqual(splitName(text, order), { lastName: last, firstName: first })
  })

test('the order of full names is recognised by commas and by the script', () => {
  assert.equal(guessNameOrder(['Lee, Ann', 'Cher', 'Ray, Bob']), 'last, first')
  assert.equal(guessNameOrder(['김 민준', 'Ann Lee', '髙橋 花子']), 'last first')
  assert.equal(guessNameOrder([]), 'first last')
})
