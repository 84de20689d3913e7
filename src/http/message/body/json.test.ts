import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '#core/problem.ts'
import { parseJson } from './json.ts'

const refusal = (text: string) => {
  try {
    parseJson(text)
  } catch (error) {
    assert.ok(error instanceof Problem && error.kind === 'bodyUnreadable', String(error))
    return error.withCodes.details[0]
  }
  return assert.fail(`was read: ${text.slice(0, 80)}`)
}

test('every value survives a round trip, compact or indented', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!text.includes('\\u0000'))
      assert.deepEqual(parseJson(text), JSON.parse(text))
      assert.deepEqual(parseJson(JSON.stringify(value, null, '\t')), JSON.parse(text))
    }),
  )
})

test('every text that JSON.parse refuses is refused', () => {
  const part = fc.constantFrom(
    ...'{}[]:,"\\ \n-+.0123eEut',
    'true',
    'null',
    '"a"',
    '\u0000',
    '\\u00',
    'é',
    '\ufeff',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      if (!isJson) assert.ok(refusal(text), text)
    }),
    { numRuns: 1000 },
  )
})

const located: [text: string, code: string, line: number, column: number, target?: string][] = [
  ['', 'EmptyBody', 1, 1],
  [' \r\n\t', 'EmptyBody', 2, 2],
  ['{"a":1', 'Syntax', 1, 7],
  ['{\n  "a": x}', 'Syntax', 2, 8],
  ['{\r\n"a":\r tru}', 'Syntax', 3, 2],
  ['{"😀": é}', 'Syntax', 1, 7],
  ['"a\nb"', 'Syntax', 1, 3],
  ['"\\x"', 'Syntax', 1, 2],
  ['[01]', 'Syntax', 1, 3],
  ['{} {}', 'TrailingData', 1, 4],
  ['1 2', 'TrailingData', 1, 3],
  ['{"a":1,"a":2}', 'DuplicateName', 1, 8, 'a'],
  ['{"a":1,\n "\\u0061":2}', 'DuplicateName', 2, 2, 'a'],
  ['{"a":1,"b":{"c":1,"d":{"c":0},"c":2}}', 'DuplicateName', 1, 31, 'b.c'],
  ['{"a":[{"b":1},{"b":1,"b":2}]}', 'DuplicateName', 1, 22, 'a.1.b'],
  ['{"__proto__":1,"__proto__":2}', 'DuplicateName', 1, 16, '__proto__'],
  ['{"\\u0001":1,"\\u0001":2}', 'DuplicateName', 1, 13, '?'],
  ['["a\u0000"]', 'NullCharacter', 1, 4],
  ['["a\\u0000"]', 'NullCharacter', 1, 4],
  ['{"\\u0000":1}', 'NullCharacter', 1, 3],
  ['["\\ud800"]', 'LoneSurrogate', 1, 2],
  ['["\\udc37\\ud801"]', 'LoneSurrogate', 1, 2],
  ['["\\ud800a\\udc00"]', 'LoneSurrogate', 1, 2],
  ['{"\\udc00":1}', 'LoneSurrogate', 1, 2],
  ['["😀\ud800"]', 'LoneSurrogate', 1, 4],
  ['[1, 1e309]', 'NumberRange', 1, 5],
  ['-1e9999', 'NumberRange', 1, 1],
]

for (const [text, code, line, column, target] of located) {
  test(`${JSON.stringify(text)} is refused as ${code} at line ${line}, column ${column}`, () => {
    const args = { line, column }
    assert.deepEqual(refusal(text), target === undefined ? { code, args } : { code, args, target })
  })
}

test('1,000 values are read; the next one is refused at its position', () => {
  const list = (values: number) => `[${Array.from({ length: values - 1 }, () => '0').join()}]`
  const object = (values: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: values - 1 }, (_, at) => [`n${at}`, {}])))
  assert.ok(parseJson(list(1_000)))
  assert.ok(parseJson(object(1_000)))
  assert.deepEqual(refusal(list(1_001)), { code: 'TooMany', args: { line: 1, column: 2_000, max: 1_000 } })
  assert.equal(refusal(object(1_001))?.code, 'TooMany')
})

test('32 levels of nesting are read; the 33rd is refused at its position', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.ok(parseJson(nested(32)))
  assert.deepEqual(refusal(nested(33)), { code: 'TooDeep', args: { line: 1, column: 33, max: 32 } })
  assert.equal(refusal('['.repeat(1_000_000))?.code, 'TooDeep')
  assert.equal(refusal('{"a":'.repeat(1_000_000))?.code, 'TooDeep')
})

test('a duplicate name is found among 900', () => {
  const names = Array.from({ length: 900 }, (_, index) => `"n${index}":${index}`)
  assert.equal(Object.keys(Object(parseJson(`{${names.join(',')}}`))).length, 900)
  assert.equal(refusal(`{${names.join(',')},"n899":0}`)?.target, 'n899')
})

test('__proto__ is a name like any other', () => {
  const read = Object(parseJson('{"__proto__":{"isAdmin":true}}'))
  assert.deepEqual(Object.keys(read), ['__proto__'])
  assert.equal(read.isAdmin, undefined)
})

test('a refusal repeats at most 64 characters of a name, and nothing of a value', () => {
  const name = '😀'.repeat(1000)
  assert.equal(refusal(`{"${name}":1,"${name}":2}`)?.target, '😀'.repeat(64))
  assert.ok(!JSON.stringify(refusal('{"password":"secret","password":"secret"}')).includes('secret'))
})
