import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMediaType } from './media-type.ts'

const readable: [field: string, type: string, parameters: Record<string, string>][] = [
  [' Application/JSON ', 'application/json', {}],
  ['application/merge-patch+json', 'application/merge-patch+json', {}],
  ['application/json ; Charset=UTF-8', 'application/json', { charset: 'UTF-8' }],
  ['application/json; charset="utf-8"', 'application/json', { charset: 'utf-8' }],
  ['application/json; title="a \\"b\\" \\\\ ;c=d"', 'application/json', { title: 'a "b" \\ ;c=d' }],
  ['application/json; a=""', 'application/json', { a: '' }],
  ['application/json; a=1;b=2 ;c=3', 'application/json', { a: '1', b: '2', c: '3' }],
  ['application/json;; a=1;', 'application/json', { a: '1' }],
  ['application/json; __proto__=1', 'application/json', { ['__proto__']: '1' }],
]

for (const [field, type, parameters] of readable) {
  test(`'${field}' is read as ${type}`, () => {
    const read = parseMediaType(field)
    assert.equal(read?.type, type)
    assert.deepEqual([...(read?.parameters ?? [])], Object.entries(parameters))
  })
}

const unreadable = [
  '',
  'json',
  'application/',
  'application/json/x',
  'application/json, text/html',
  'application/json; charset',
  'application/json; charset = utf-8',
  'application/json; charset="utf-8',
  'application/json; charset="utf-8"x',
  'application/json; charset="a\\',
  'application/json; charset=utf-8; CHARSET=utf-8',
  'application/jsön',
]

test('a malformed media type is refused as a whole', () => {
  for (const field of unreadable) assert.equal(parseMediaType(field), undefined, field)
})

test('a mebibyte of malformed parameters is refused', () => {
  for (const part of [';', ' ', 'a="', ';a="\\"', '\\']) {
    assert.equal(parseMediaType(`application/json${part.repeat(1 << 18)}!`), undefined, part)
  }
})
