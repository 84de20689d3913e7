import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseCoding, chooseMediaType } from './accept.ts'

const json = 'application/json'
const xml = 'application/xml'

const types: [accept: string | undefined, expected: string | undefined][] = [
  [undefined, json],
  ['', json],
  ['*/*', json],
  ['application/json', json],
  ['application/xml', xml],
  ['APPLICATION/XML', xml],
  ['text/html', undefined],
  ['application/xml, application/json', xml],
  ['application/json, application/xml', json],
  ['application/json; q=0.5 , application/xml;q=0.501', xml],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', xml],
  ['*/*, application/xml', xml],
  ['*/*;q=0.9, application/xml;q=0.1', json],
  ['application/*;q=0.1, application/xml;q=0.2', xml],
  ['application/json;q=0', undefined],
  ['application/json;q=0, */*', xml],
  ['*/*, application/*;q=0', undefined],
  ['application/xml;q=0.000, application/xml', undefined],
  ['application/xml;charset=utf-8', xml],
  ['application/xml;charset="UTF-8";q=1, application/json;q=0.9', xml],
  ['application/xml;charset=utf-16', undefined],
  ['application/xml;charset=utf8', xml],
  ['application/xml;level=1, application/json;q=0.1', xml],
  ['text/xml;q=0.5, application/json;q=0.1', xml],
  ['application/xml;title="a,b";q=1, application/json;q=0.5', xml],
  ['application/json;title="a', json],
  ['text/html, image/gif, *; q=.2, */*; q=.2', json],
  ['*', json],
  ['application/xml;q=2, application/json;q=0.1', json],
  ['application/xml;q=x, application/json;q=0.1', json],
  ['nonsense, application/xml', xml],
  [',, ,;', json],
  ['*/xml', undefined],
]

for (const [accept, expected] of types) {
  test(`Accept '${accept}' chooses ${expected}`, () => {
    assert.equal(chooseMediaType(accept, [json, xml]), expected)
  })
}

const codings: [acceptEncoding: string | undefined, expected: string | undefined][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['deflate', 'identity'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.5, identity', 'identity'],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0', 'identity'],
  ['identity;q=0', undefined],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['*;q=0, identity;q=0.1, gzip;q=0.2', 'gzip'],
  ['deflate, *;q=0', undefined],
  ['gzip;q=7, br;q=x', 'identity'],
  [' gzip ; q=0.3 ,', 'gzip'],
]

for (const [acceptEncoding, expected] of codings) {
  test(`Accept-Encoding '${acceptEncoding}' chooses ${expected}`, () => {
    assert.equal(chooseCoding(acceptEncoding, ['br', 'gzip']), expected)
  })
}

test('every header, however malformed, chooses something on offer, or nothing', () => {
  const part = fc.constantFrom(
    'application',
    'xml',
    '/',
    '*',
    ';',
    'q',
    '=',
    '0',
    '.5',
    ',',
    ' ',
    '"',
    '\\',
    'é',
  )
  const header = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(header, (value) => {
      assert.ok([json, xml, undefined].includes(chooseMediaType(value, [json, xml])))
      assert.ok(['br', 'identity', undefined].includes(chooseCoding(value, ['br'])))
    }),
  )
})

test('a mebibyte of punctuation throws no error', () => {
  for (const part of ['"', '\\', ',', ';', ' ', '*', '"\\"', ';q="', '/']) {
    chooseMediaType(part.repeat(1 << 20), [json])
    chooseCoding(part.repeat(1 << 20), ['gzip'])
  }
})
