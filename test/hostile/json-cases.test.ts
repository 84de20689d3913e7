import assert from 'node:assert/strict'
import { test } from 'node:test'
import { body, expectAnswer, jsonBody, rows, service } from '../scenarios/table.ts'

const app = service()
const post = (sent: string | Buffer) => app()('POST /todos', sent, jsonBody)
const refused = { status: 400, code: '7003', message: 'Request body format error occurred.' }
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Well-formed strings as written in a body, and what they mean. */
const strings: readonly (readonly [string, string])[] = [
  ['a', 'a'],
  ['\\u0041', 'A'],
  ['\\u0060\\u012a\\u12AB', '\u0060\u012a\u12ab'],
  ['\\ud801\\udc37', '\u{10437}'],
  ['\\ud83d\\ude39\\ud83d\\udc8d', '\u{1f639}\u{1f48d}'],
  ['\\"\\\\\\/\\n\\r\\t', '"\\/\n\r\t'],
  ['\\\\u0000', '\\u0000'],
  ['\\\\a', '\\a'],
  ['a/*b*/c', 'a/*b*/c'],
  ['\\u0022', '"'],
  ['\\u005C', '\\'],
  ['\\u007f', '\u007f'],
  ['\u007f', '\u007f'],
  ['\\u00a0\u00a0', '\u00a0\u00a0'],
  ['\u2028\u2029', '\u2028\u2029'],
  ['\\u200B', '\u200b'],
  ['\\uFDD0', '\ufdd0'],
  ['\ufeff', '\ufeff'],
  ['€𝄞', '€𝄞'],
  ['\\uD834\\uDd1e', '\u{1d11e}'],
  ['\\uDBFF\\uDFFD', '\u{10fffd}'],
  ['\u{10fffd}', '\u{10fffd}'],
  [' ', ' '],
  ['null', 'null'],
  ['{"a":1}'.replaceAll('"', '\\"'), '{"a":1}'],
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

test('a body is empty if it has no bytes or only white space of JSON and XML, a no-break space is malformed', async () => {
  for (const type of ['application/json', 'application/xml']) {
    const detailOf = async (sent: string) => {
      const answer = await app()('POST /todos', sent, { 'content-type': type })
      return (body(answer).details as { code: string }[])[0]?.code
    }
    for (const sent of ['', '\ufeff', ' \t\r\n']) assert.equal(await detailOf(sent), 'EmptyBody', type)
    assert.equal(await detailOf('\u00a0'), 'Syntax', type)
  }
})

/** Values that are not JSON, each tried as a title and as the value of an ignored field. */
const brokenValues: readonly string[] = [
  ...[
    '',
    '-',
    '+1',
    '01',
    '-01',
    '1.',
    '.5',
    '-.5',
    '1e',
    '1e+',
    '1E',
    '1e1e1',
    '0x1',
    '1_000',
    '１',
    'NaN',
    'Infinity',
    '-Infinity',
  ],
  ...['1eE2', '0.1.2', '--1', '- 1', '1 000', '2.e3', '9.e+', '++1234', '0e', '-Inf', '1a', '1ea'],
  ...['nul', 'nulll', 'Null', 'NULL', 'tru', 'True', 'fals', 'undefined', 'None', 'a'],
  ...[
    "'a'",
    '`a`',
    '"a',
    'a"',
    '"',
    '"\\"',
    '"\\x41"',
    '"\\u"',
    '"\\u00"',
    '"\\u00G0"',
    '"\\U0041"',
    '"\\ua"',
    '"\\ud800\\u"',
  ],
  ...[
    '"\\',
    '"\\a"',
    '"\\\u0000"',
    '"\\🐈"',
    '"a\nb"',
    '"a\tb"',
    '"a\u0000b"',
    '"a\u001fb"',
    '"\u0000"',
    '"a"b',
    '"a" "b"',
  ],
  ...[
    '[',
    ']',
    '[1,]',
    '[,1]',
    '[1,,2]',
    '[1 2]',
    '["a"',
    '[1}',
    '[x]',
    '[-]',
    '[1:2]',
    '["a",\n4\n,1,',
    '[1]]',
    '[*]',
  ],
  ...[
    '{',
    '}',
    '{"a"}',
    '{"a":}',
    '{"a" "b"}',
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1,,"b":2}',
    '{"a":1 "b":2}',
    '{1:1}',
    '{"a"::1}',
  ],
  ...[
    '{"a":1}}',
    '{"a":1]',
    '{null:null}',
    '{"a":/*c*/1}',
    '{"a":1/**/}',
    '{"a":1}//',
    '{"a":1}#',
    '{"a":(1)}',
    '{[:1}',
    '{"a":new Date}',
  ],
  ...[
    '//c\n1',
    '/*c*/1',
    '1/*c*/',
    '<a/>',
    '&nbsp;',
    '$',
    '@',
    '\\u0031',
    '\ufeff1',
    '\u00a01',
    '\u2060',
    '\f1',
    '\v1',
    '\u20281',
  ],
]
for (const value of brokenValues) {
  test(`the value ${JSON.stringify(value)} is refused as malformed JSON`, async () => {
    expectAnswer(await post(`{"todoTitle":${value}}`), refused)
    expectAnswer(await post(`{"todoTitle":"a","createdAt":${value}}`), refused)
  })
}

const brokenBodies: readonly (readonly [string, string | Buffer])[] = [
  ['no bytes', ''],
  ['only spaces', '   '],
  ['only a byte order mark', '\ufeff'],
  ['two byte order marks', '\ufeff\ufeff{"todoTitle":"a"}'],
  ['NUL', '\0'],
  ['NUL at the end', '{"todoTitle":"a"}\0'],
  ['NUL at the start', '\0{"todoTitle":"a"}'],
  ['a form feed at the start', '\f{"todoTitle":"a"}'],
  ['a no-break space at the start', '\u00a0{"todoTitle":"a"}'],
  ['two objects', '{"todoTitle":"a"}{"todoTitle":"b"}'],
  ['two objects on separate lines', '{"todoTitle":"a"}\n{"todoTitle":"b"}'],
  ['a comma after the object', '{"todoTitle":"a"},'],
  ['an extra closing brace', '{"todoTitle":"a"}}'],
  ['a comment at the end', '{"todoTitle":"a"}/*c*/'],
  ['a comment at the start', '//c\n{"todoTitle":"a"}'],
  ['a trailing comma in the object', '{"todoTitle":"a",}'],
  ['a leading comma in the object', '{,"todoTitle":"a"}'],
  ['an unquoted name', '{todoTitle:"a"}'],
  ['single quotes', "{'todoTitle':'a'}"],
  ['no colon', '{"todoTitle" "a"}'],
  ['an equals sign', '{"todoTitle"="a"}'],
  ['no closing brace', '{"todoTitle":"a"'],
  ['only an opening brace', '{'],
  ['form data', 'todoTitle=a'],
  ['XML', '<todo><todoTitle>a</todoTitle></todo>'],
  ['an anti-hijacking prefix', ')]}\',\n{"todoTitle":"a"}'],
  ['an array', '[{"todoTitle":"a"}]'],
  ['an empty array', '[]'],
  ['a string', '"todoTitle"'],
  ['a number', '1'],
  ['true', 'true'],
  ['null', 'null'],
  ['a duplicate name', '{"todoTitle":"a","todoTitle":"a"}'],
  ['a duplicate name, once escaped', '{"todoTitle":"a","todo\\u0054itle":"b"}'],
  ['a duplicate name in an ignored field', '{"todoTitle":"a","links":[{"rel":"a","rel":"b"}]}'],
  ['__proto__', '{"todoTitle":"a","__proto__":{}}'],
  ['only __proto__', '{"__proto__":{"todoTitle":"a"}}'],
  ['constructor', '{"todoTitle":"a","constructor":{"prototype":{}}}'],
  ['an empty name', '{"todoTitle":"a","":1}'],
  ['NUL in a name', '{"todoTitle":"a","\\u0000":1}'],
  ['a lone surrogate in a name', '{"todoTitle":"a","\\ud800":1}'],
  ['a lone high surrogate', '{"todoTitle":"\\ud800"}'],
  ['a lone low surrogate', '{"todoTitle":"\\udc00"}'],
  ['surrogates in the wrong order', '{"todoTitle":"\\udc00\\ud800"}'],
  ['two high surrogates', '{"todoTitle":"\\ud800\\ud800\\udc00"}'],
  ['a high surrogate and a letter', '{"todoTitle":"\\ud800a"}'],
  ['a high surrogate and an escape', '{"todoTitle":"\\ud800\\n"}'],
  ['an escaped NUL', '{"todoTitle":"\\u0000"}'],
  ['Latin-1', latin1('{"todoTitle":"\xe9"}')],
  ['a lone continuation byte', latin1('{"todoTitle":"\x81"}')],
  ['an overlong slash', latin1('{"todoTitle":"\xc0\xaf"}')],
  ['an overlong NUL', latin1('{"todoTitle":"\xc0\x80"}')],
  ['an overlong slash in three bytes', latin1('{"todoTitle":"\xe0\x80\xaf"}')],
  ['a surrogate in UTF-8', latin1('{"todoTitle":"\xed\xa0\x80"}')],
  ['a code point beyond Unicode', latin1('{"todoTitle":"\xf4\x90\x80\x80"}')],
  ['a truncated character', latin1('{"todoTitle":"\xe6\xbc"}')],
  ['a byte that UTF-8 never uses', latin1('{"todoTitle":"\xff"}')],
  ['invalid UTF-8 outside a string', latin1('{"todoTitle":"a"}\xe5')],
  ['UTF-16LE', Buffer.from('\ufeff{"todoTitle":"a"}', 'utf16le')],
  ['UTF-16LE without a byte order mark', Buffer.from('{"todoTitle":"a"}', 'utf16le')],
  ['an incomplete byte order mark', latin1('\xef\xbb{"todoTitle":"a"}')],
  ['gzip without Content-Encoding', latin1('\x1f\x8b\x08\0\0\0\0\0\0\x03')],
  ['arrays 40 deep', `{"todoTitle":"a","links":${'['.repeat(40)}${']'.repeat(40)}}`],
  ['objects 40 deep', `{"todoTitle":"a","links":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`],
  ['100,000 open arrays', '['.repeat(100_000)],
  ['100,000 open objects', '{"a":'.repeat(100_000)],
  [
    '100,000 arrays in an ignored field',
    `{"todoTitle":"a","links":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ],
  ['a number beyond the range of a double', '{"todoTitle":1e9999}'],
  ['a number of 100,000 digits', `{"todoTitle":${'9'.repeat(100_000)}}`],
]
for (const [name, sent] of brokenBodies) {
  test(`a JSON body is refused with 400 7003: ${name}`, async () => {
    expectAnswer(await post(sent), refused)
  })
}

/** Values with members that strings inherit. */
const disguises = [
  '{"toString":"x"}',
  '{"toString":null}',
  '{"valueOf":1}',
  '{"length":5}',
  '{"constructor":"String"}',
  '[["a"]]',
  '{}',
]
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
