import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  countCodePoints,
  currentDate,
  formatUtc,
  formatWithOffset,
  isDate,
  isEmail,
  isShowable,
  isValidTimeZone,
  isXmlText,
  parseInstant,
  toPrintableName,
} from './formats.ts'

const instant = Date.UTC(2026, 10, 21, 6, 45, 0, 123)
const anyInstant = fc.integer({ min: Date.parse('0001-01-02T00:00Z'), max: Date.parse('9999-12-30T00:00Z') })
const anyZone = fc.constantFrom(
  'UTC',
  'Asia/Tokyo',
  'America/New_York',
  'Asia/Kathmandu',
  'Africa/Monrovia',
  '-03:30',
)

test('isDate accepts calendar days', () => {
  for (const text of ['2026-11-21', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])
    assert.ok(isDate(text), text)
})

test('isDate refuses impossible days and other formats', () => {
  const wrong = [
    '',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
  ]
  const shapes = [
    '0000-01-01',
    '20261121',
    '+2026-11-21',
    '2026-11-21T00:00',
    ' 2026-11-21',
    '2026-11-21\n',
    '２０２６-11-21',
  ]
  for (const text of [...wrong, ...shapes]) assert.ok(!isDate(text), text)
})

test('formatUtc writes every instant as Date.toISOString does', () => {
  fc.assert(fc.property(anyInstant, (ms) => formatUtc(ms) === new Date(ms).toISOString()))
})

const showable: [time: string, isShowable: boolean][] = [
  ['0001-01-01T23:59:59.999Z', false],
  ['0001-01-02T00:00:00.000Z', true],
  ['9999-12-30T23:59:59.999Z', true],
  ['9999-12-31T00:00:00.000Z', false],
]

for (const [time, is] of showable)
  test(`${time} ${is ? 'has' : 'does not have'} a four-digit year in every zone`, () => {
    assert.equal(isShowable(Date.parse(time)), is)
  })

const withOffset: [zone: string, text: string][] = [
  ['UTC', '2026-11-21T06:45:00.123+00:00'],
  ['Asia/Tokyo', '2026-11-21T15:45:00.123+09:00'],
  ['America/New_York', '2026-11-21T01:45:00.123-05:00'],
  ['+05:30', '2026-11-21T12:15:00.123+05:30'],
  ['-00:30', '2026-11-21T06:15:00.123-00:30'],
]

for (const [zone, text] of withOffset) {
  test(`in ${zone} the instant is written and read as ${text}`, () => {
    assert.equal(formatWithOffset(instant, zone), text)
    assert.equal(parseInstant(text, 'UTC'), instant)
  })
}

test('the offset changes in the millisecond of the clock change, independently of earlier calls', () => {
  const change = Date.UTC(2026, 2, 29, 1)
  for (const order of [
    [0, -1],
    [-1, 0],
    [0, 0],
  ]) {
    for (const ms of order) {
      const expected = ms === 0 ? '2026-03-29T03:00:00.000+02:00' : '2026-03-29T01:59:59.999+01:00'
      assert.equal(formatWithOffset(change + ms, 'Europe/Berlin'), expected)
    }
  }
})

test('a timestamp written in any zone is read back as the same instant', () => {
  fc.assert(
    fc.property(anyInstant, anyZone, (ms, zone) => {
      assert.equal(parseInstant(formatWithOffset(ms, zone), 'UTC'), ms)
      assert.equal(parseInstant(formatUtc(ms), zone), ms)
    }),
  )
})

test('an offset may omit its colon', () => {
  assert.equal(parseInstant('2026-11-21T15:45:00.123+0900', 'UTC'), instant)
})

test('a bare date is the start of that day in the zone', () => {
  assert.equal(parseInstant('2026-11-21', 'UTC'), Date.UTC(2026, 10, 21))
  assert.equal(parseInstant('2026-11-21', 'Asia/Tokyo'), Date.UTC(2026, 10, 20, 15))
  assert.equal(parseInstant('0001-01-01', 'UTC'), Date.parse('0001-01-01T00:00:00.000Z'))
})

test('if the clocks skip midnight, the day begins at the moment of the change', () => {
  assert.equal(parseInstant('2018-11-04', 'America/Sao_Paulo'), Date.parse('2018-11-04T01:00:00.000-02:00'))
})

const malformedInstants = [
  '',
  'now',
  '2026-02-30T00:00:00.000Z',
  '2026-11-21T06:45:00Z',
  '2026-11-21T06:45:00.12Z',
  '2026-11-21T06:45:00.1234Z',
  '2026-11-21T06:45:00.123',
  '2026-11-21T06:45:00.123z',
  '2026-11-21t06:45:00.123Z',
  '2026-11-21 06:45:00.123Z',
  '2026-11-21T24:00:00.000Z',
  '2026-11-21T23:60:00.000Z',
  '2026-11-21T23:59:60.000Z',
  '2026-11-21T06:45:00.123+24:00',
  '2026-11-21T06:45:00.123+09:60',
  '2026-11-21T06:45:00.123+09',
  '2026-11-21T06:45:00.123Z\n',
  '1795243500123',
]

test('parseInstant refuses every other format', () => {
  for (const text of malformedInstants) assert.equal(parseInstant(text, 'UTC'), undefined, text)
})

test('currentDate returns the date in the given zone', () => {
  assert.equal(currentDate(Date.UTC(2026, 10, 21, 15), 'UTC'), '2026-11-21')
  assert.equal(currentDate(Date.UTC(2026, 10, 21, 15), 'Asia/Tokyo'), '2026-11-22')
})

test('a time zone is valid as a name or as an offset', () => {
  for (const zone of ['UTC', 'Asia/Tokyo', '+09:00', '-0330']) {
    assert.ok(isValidTimeZone(zone), zone)
    assert.ok(currentDate(0, zone), zone)
  }
  // Intl accepts the last two.
  for (const zone of ['', 'Mars/Olympus', '+25:00', '9', '2026-11-21T00:00Z', 'JST', '\u221209:00'])
    assert.ok(!isValidTimeZone(zone), zone)
})

const addresses = [
  'john@example.com',
  'John.Smith+todo@mail.example.co.jp',
  "o'brien!#$%&*+/=?^_`{|}~-@example.com",
  'root@localhost',
  'a@b',
  '1@2.3',
  '用户@例子.公司',
  'δοκιμή@παράδειγμα.ευ',
  'जॉन@उदाहरण.भारत',
  'john@xn--fsqu00a.xn--55qx5d',
  `john@${'a'.repeat(63)}.com`,
]

test('isEmail accepts addresses in any script', () => {
  for (const text of addresses) assert.ok(isEmail(text), text)
})

const malformedAddresses = [
  '',
  '@',
  'john',
  '@example.com',
  'john@',
  'john@@example.com',
  'john@smith@example.com',
  '.john@example.com',
  'john.@example.com',
  'jo..hn@example.com',
  'jo hn@example.com',
  'jo\u3000hn@example.com',
  'jo\nhn@example.com',
  'john@example.com\n',
  'jo\u0000hn@example.com',
  'jo\u200bhn@example.com',
  'john@.example.com',
  'john@example.com.',
  'john@example..com',
  'john@-example.com',
  'john@example-.com',
  'john@exa_mple.com',
  'john@exa mple.com',
  'john@[127.0.0.1]',
  '"john"@example.com',
  'John <john@example.com>',
  'a,b@example.com',
  'john\ud800@example.com',
  `john@${'a'.repeat(64)}.com`,
]

test('isEmail refuses everything but a plain, well-formed address', () => {
  for (const text of malformedAddresses) assert.ok(!isEmail(text), JSON.stringify(text))
})

test('isEmail refuses a mebibyte that is almost an address', () => {
  for (const part of ['a', '.', 'a.', '@', 'é', '-']) {
    assert.ok(!isEmail(`${part.repeat(1 << 20)} @example.com`))
    assert.ok(!isEmail(`john@${part.repeat(1 << 20)} `))
  }
})

test('countCodePoints counts code points, not UTF-16 units', () => {
  assert.equal(countCodePoints(''), 0)
  assert.equal(countCodePoints('かな'), 2)
  assert.equal(countCodePoints('😀a😀'), 3)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => countCodePoints(text) === [...text].length))
})

test('isXmlText accepts the empty string, tabs, line ends and non-ASCII characters', () => {
  for (const text of ['', '\t\n\r', 'かな', '😀', '\u007f\u0085\u2028', '\ufffd'])
    assert.ok(isXmlText(text), text)
})

test('isXmlText refuses other control characters, lone surrogates, U+FFFE and U+FFFF', () => {
  for (const text of ['\u0000', '\u0008', '\u000b', '\u001b', '\ud800', 'a\udc00', '\ufffe', '\uffff']) {
    assert.ok(!isXmlText(text), JSON.stringify(text))
  }
})

test('toPrintableName cuts a name to 64 characters, and replaces it if XML cannot represent it', () => {
  assert.equal(toPrintableName('name'), 'name')
  assert.equal(toPrintableName('😀'.repeat(1000)), '😀'.repeat(64))
  assert.equal(toPrintableName(`a${'😀'.repeat(1000)}`), `a${'😀'.repeat(63)}`)
  assert.equal(toPrintableName('na\u0001me'), '?')
})
