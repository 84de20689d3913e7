import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '#core/problem.ts'
import { decodeUtf8 } from './utf8.ts'

test('every text survives encoding and decoding', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => decodeUtf8(Buffer.from(`a${text}`)) === `a${text}`),
  )
  assert.equal(decodeUtf8(Buffer.alloc(0)), '')
})

test('one leading byte order mark is dropped; a second one is text', () => {
  assert.equal(decodeUtf8(Buffer.from('\ufeff{}')), '{}')
  assert.equal(decodeUtf8(Buffer.from('\ufeff\ufeff{}')), '\ufeff{}')
})

test('a refusal names line and column of the first byte that is not UTF-8', () => {
  const places: [parts: (string | number)[], line: number, column: number][] = [
    [[0xff], 1, 1],
    [['{"a":\n"😀か\ufffd', 0xe9, '"}', 0xff], 2, 5],
    [['\ufeff\r\n\ufffd', 0xe3, 0x81], 2, 2],
    [['\ufffd\ufffd', 0xef, 0xbf, 'a\ufffd'], 1, 3],
    [['a\n\n', 0xed, 0xa0, 0x80], 3, 1],
  ]
  for (const [parts, line, column] of places) {
    const bytes = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))),
    )
    const detail = { code: 'Encoding', args: { line, column } }
    assert.throws(
      () => decodeUtf8(bytes),
      (error) => {
        assert.ok(error instanceof Problem)
        assert.deepEqual(error.withCodes.details, [detail])
        return true
      },
    )
  }
})

const invalid = {
  'a lone continuation byte': [0x80],
  'a truncated sequence': [0x61, 0xe3, 0x81],
  'an overlong slash': [0xc0, 0xaf],
  'a surrogate': [0xed, 0xa0, 0x80],
  'a code point beyond U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
  'UTF-16 with a byte order mark': [0xff, 0xfe, 0x7b, 0x00],
  'Latin-1': [0x63, 0x61, 0x66, 0xe9],
}

for (const [name, bytes] of Object.entries(invalid)) {
  test(`${name} is refused`, () => {
    assert.throws(
      () => decodeUtf8(Buffer.from(bytes)),
      (error) =>
        error instanceof Problem &&
        error.kind === 'bodyUnreadable' &&
        error.withCodes.details[0]?.code === 'Encoding',
    )
  })
}
