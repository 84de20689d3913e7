import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateOrderOf } from '#core/foreign-files.ts'
import {
  CodeList,
  Day,
  Email,
  Flag,
  Nullable,
  PastDate,
  Reference,
  type Schema,
  Secret,
  Text,
  UtcTimestamp,
  Whole,
} from '#core/schema.ts'
import { memberDeclaration } from '#resources/member/declaration.ts'
import { interpretText, type ValueOptions } from './values.ts'

const today = '2026-11-29'

const open = 'OpenDate'

const meant = (schema: Schema, text: string, options: Partial<ValueOptions> = {}) => {
  const meaning = interpretText(schema, text, { today, ...options })
  return 'unclear' in meaning ? meaning.unclear : meaning.value
}

const dates: readonly (readonly [string, unknown, ValueOptions['dates']?])[] = [
  ['1987-08-18', '1987-08-18'],
  ['18.8.1987', '1987-08-18'],
  ['S62.8.18', '1987-08-18'],
  ['昭和62年8月18日', '1987-08-18'],
  ['昭和62.8.18', '1987-08-18'],
  ['R1/5/1', '2019-05-01'],
  ['18. August 1987', '1987-08-18'],
  ['Aug 18, 1987', '1987-08-18'],
  ['3. März 1987', '1987-03-03'],
  ['1987-08-18T00:00:00', '1987-08-18'],
  ['18/08/1987', open],
  ['18/08/1987', '1987-08-18', 'dmy'],
  ['08/18/1987', '1987-08-18', 'mdy'],
  ['1.4.90', open],
  ['18-Aug-87', open],
  ['18-Aug-87', '1987-08-18', 'dmy'],
  ['1.4.90', '1990-04-01', 'dmy'],
  ['1.4.26', '2026-04-01', 'dmy'],
  ['1.4.27', '1927-04-01', 'dmy'],
  ['90/4/01', '1990-04-01', 'ymd'],
  ['25111954', open],
  ['25111954', '1954-11-25', 'dmy'],
  ['1041990', '1990-04-01', 'dmy'],
  ['19541125', '1954-11-25'],
  ['12345678', '12345678'],
  ['31.2.1990', '31.2.1990'],
  ['unknown', 'unknown'],
]
for (const [text, value, order] of dates)
  test(`a date in a common format is read: ${text} ${order ?? ''}`, () => {
    assert.equal(meant(PastDate, text, { dates: order }), value)
  })

test('a year of two digits may be in the future if the field accepts future dates', () => {
  assert.equal(meant(Day, '1.4.30', { dates: 'dmy' }), '2030-04-01')
  assert.equal(meant(Day, '1.4.90', { dates: 'dmy' }), '1990-04-01')
})

test('a date with a two-digit year does not show the order of day and month', () => {
  assert.equal(dateOrderOf(['1.4.1990', '13.4.90']), 'open')
})

const loanKind = CodeList('CL_LOAN', ['book', 'tool'])
const gender = CodeList('CL_GENDER', ['0', '1', '2'])
const values: readonly (readonly [string, Schema, string, unknown, Partial<ValueOptions>?])[] = [
  ['a code', loanKind, ' Book ', 'book'],
  [
    'the label of a code',
    loanKind,
    '道具',
    'tool',
    { foreign: { names: '', codes: { tool: 'Werkzeug, 道具' } } },
  ],
  ['a word for another code', loanKind, 'car', 'car'],
  ['a salutation', gender, 'Frau', '2', { foreign: memberDeclaration.headings.genderCode }],
  ...['Ja', 'yes', ' TRUE', 'はい', '○', 'X', '１'].map((text) => ['a flag', Flag, text, true] as const),
  ...['nein', 'No', 'いいえ', '0', '×'].map((text) => ['a flag', Flag, text, false] as const),
  ['no flag', Flag, 'maybe', 'maybe'],
  ['a number', Whole(0), '１ ２００', 1200],
  ['a number', Whole(0), '1.200', 1200],
  ['a number', Whole(0), '1’234’567', 1_234_567],
  ['a number with cents', Whole(0), '12.00', 12],
  ['no number', Whole(0), '1.5', '1.5'],
  ['a telephone number', Nullable(Text(0, 20)), ' +49 (0)30 / 12-34 ', '+49 (0)30 / 12-34'],
  ['a long telephone number', Text(0, 20), '+49 (0)101 / 32544-21', '+49(0)101/32544-21'],
  ['a number that a spreadsheet has shortened', Text(0, 20), '4,91512E+11', 'LostDigits'],
  ['a telephone number in full-width digits', Text(0, 20), '０３－１２３４', '03-1234'],
  ['an e-mail address', Email(256), ' mailto:Ann@Example.com\u00a0', 'Ann@Example.com'],
  ['an id', Reference('member'), ' 01a2 ', '01a2'],
  ['a text under the exact name of its field', Text(0, 9), ' ａ ', ' ａ ', { isExact: true }],
  ['an empty text under the exact name of its field', Text(0, 9), '', '', { isExact: true }],
  ['an empty cell', Nullable(Text(0, 9)), '', null],
  ['blanks', Nullable(Text(0, 9)), '  ', null],
  [
    'blanks under the exact name of their field',
    Nullable(Text(1, 9)),
    '\u3000\n',
    '\u3000\n',
    { isExact: true },
  ],
  [
    'an e-mail address under the exact name',
    Email(256),
    'Ａ@example.com',
    'Ａ@example.com',
    { isExact: true },
  ],
  ['no e-mail address under the exact name', Email(256), ' mailto:a@b.de', 'a@b.de', { isExact: true }],
  ['a large number', Whole(0), '9007199254740991', Number.MAX_SAFE_INTEGER],
  ['a number that is too large', Whole(0), '9007199254740993', '9007199254740993'],
  ['a secret', Secret(8, 128), ' ａ ', ' ａ '],
  ['a time', UtcTimestamp, '2020-01-02 08:30', '2020-01-02T08:30:00.000Z'],
  ['a local time', UtcTimestamp, '2020-01-02 08:30', '2020-01-01T23:30:00.000Z', { timeZone: 'Asia/Tokyo' }],
  ['no time', UtcTimestamp, '2020-01-02 25:30', '2020-01-02T25:30:00.000Z'],
  ['a time with a zone', UtcTimestamp, '2020-01-02T08:30:00.5+09:00', '2020-01-02T08:30:00.500+09:00'],
  ['a time given as a day', UtcTimestamp, '2.1.2020', '2020-01-02'],
]
for (const [name, schema, text, value, options] of values)
  test(`a value in a common format is read: ${name}, “${text}”`, () => {
    assert.equal(meant(schema, text, options), value)
  })
