import assert from 'node:assert/strict'
import { test } from 'node:test'
import { body, expectAnswer, jsonBody, rows, service } from '../scenarios/table.ts'

const app = service()
const post = (sent: string | Buffer) => app()('POST /todos', sent, jsonBody)
const refused = { status: 400, code: '7003', message: 'Request body format error occurred.' }
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Well-formed strings as written in a body, and their values. */
const strings: readonly (readonly [string, string])[] = [
  ['\\u0060\\u012a\\u12AB', '\u0060\u012a\u12ab'],
  ['\\ud83d\\ude39\\uD834\\uDd1e', '\u{1f639}\u{1d11e}'],
  ['\\"\\\\\\/\\n\\r\\t', '"\\/\n\r\t'],
  ['\\\\u0000', '\\u0000'],
  ['a/*b*/c', 'a/*b*/c'],
  ['\ufeff\u2028\u007f\u{10fffd}', '\ufeff\u2028\u007f\u{10fffd}'],
]
for (const [written, meant] of strings) {
  test(`the JSON string "${written}" is read as intended`, async () => {
    expectAnswer(await post(`{"todoTitle":"${written}"}`), { status: 201, shows: { todoTitle: meant } })
  })
}

const wellFormed: readonly (readonly [string, string])[] = [
  ['whitespace everywhere', ' \t\n\r{ "todoTitle" \t:\n"a"\r } \n'],
  ['an escaped name', '{"todo\\u0054itle":"a"}'],
  ['null in an ignored field', '{"todoTitle":"a","createdAt":null}'],
]
for (const [name, sent] of wellFormed) {
  test(`a body with ${name} is accepted`, async () => {
    expectAnswer(await post(sent), { status: 201, shows: { todoTitle: 'a' } })
  })
}

test('a body with no bytes or only white space counts as empty, and a no-break space is malformed', async () => {
  for (const type of ['application/json', 'application/xml']) {
    const detailOf = async (sent: string) => {
      const answer = await app()('POST /todos', sent, { 'content-type': type })
      return (body(answer).details as { code: string }[])[0]?.code
    }
    for (const sent of ['', '\ufeff', ' \t\r\n']) assert.equal(await detailOf(sent), 'EmptyBody', type)
    assert.equal(await detailOf('\u00a0'), 'Syntax', type)
  }
})

/** One case of each kind. Other malformed JSON and UTF-8 is tested next to the parsers. */
const brokenBodies: readonly (readonly [string, string | Buffer])[] = [
  ['two byte order marks', '\ufeff\ufeff{"todoTitle":"a"}'],
  ['a form feed at the start', '\f{"todoTitle":"a"}'],
  ['a trailing comma in the object', '{"todoTitle":"a",}'],
  ['no closing brace', '{"todoTitle":"a"'],
  ['two objects', '{"todoTitle":"a"}{"todoTitle":"b"}'],
  ['form data', 'todoTitle=a'],
  ['an array', '[{"todoTitle":"a"}]'],
  ['a string', '"todoTitle"'],
  ['null', 'null'],
  ['a duplicate name, once escaped', '{"todoTitle":"a","todo\\u0054itle":"b"}'],
  ['a duplicate name in an ignored field', '{"todoTitle":"a","links":[{"rel":"a","rel":"b"}]}'],
  ['__proto__', '{"todoTitle":"a","__proto__":{}}'],
  ['constructor', '{"todoTitle":"a","constructor":{"prototype":{}}}'],
  ['an empty name', '{"todoTitle":"a","":1}'],
  ['a lone high surrogate', '{"todoTitle":"\\ud800"}'],
  ['an escaped NUL', '{"todoTitle":"\\u0000"}'],
  ['Latin-1', latin1('{"todoTitle":"\xe9"}')],
  ['invalid UTF-8 outside a string', latin1('{"todoTitle":"a"}\xe5')],
  ['UTF-16LE without a byte order mark', Buffer.from('{"todoTitle":"a"}', 'utf16le')],
  ['gzip without Content-Encoding', latin1('\x1f\x8b\x08\0\0\0\0\0\0\x03')],
  ['arrays 40 deep', `{"todoTitle":"a","links":${'['.repeat(40)}${']'.repeat(40)}}`],
  ['100,000 open objects', '{"a":'.repeat(100_000)],
  ['a number beyond the range of a double', '{"todoTitle":1e9999}'],
]
for (const [name, sent] of brokenBodies) {
  test(`a JSON body is refused with 400 7003: ${name}`, async () => {
    expectAnswer(await post(sent), refused)
  })
}

/** Values with properties that strings inherit. */
const disguises = ['{"toString":"x"}', '{"length":5}', '[["a"]]']
for (const value of disguises) {
  test(`a value that is not a string is refused in every string field: ${value}`, async () => {
    expectAnswer(await post(`{"todoTitle":${value}}`), { ...refused, targets: ['todoTitle'] })
    for (const name of ['firstName', 'dateOfBirth', 'genderCode', 'emailAddress', 'address']) {
      const answer = await app()('POST /members', `{"${name}":${value}}`, jsonBody)
      expectAnswer(answer, refused)
      assert.deepEqual((body(answer).details as { target?: string }[])[0]?.target, name)
    }
  })
}

test('of all these bodies, only the accepted ones are stored', async () => {
  assert.equal(rows(await app()('GET /todos')).length, strings.length + wellFormed.length)
})
