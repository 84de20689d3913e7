import assert from 'node:assert/strict'
import { test } from 'node:test'
import { body, expectAnswer, jsonBody, rows, service } from '../scenarios/table.ts'

const app = service()
const post = (sent: string | Buffer) => app()('POST /todos', sent, jsonBody)
const refused = { status: 400, code: '7003', message: 'Request body format error occurred.' }

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

/** Well-formed JSON of the wrong shape, and one text that is no JSON. The rest is tested next to the parsers. */
const brokenBodies: readonly (readonly [string, string | Buffer])[] = [
  ['two byte order marks', '\ufeff\ufeff{"todoTitle":"a"}'],
  ['form data', 'todoTitle=a'],
  ['an array', '[{"todoTitle":"a"}]'],
  ['a string', '"todoTitle"'],
  ['null', 'null'],
  ['a duplicate name in an ignored field', '{"todoTitle":"a","links":[{"rel":"a","rel":"b"}]}'],
  ['__proto__', '{"todoTitle":"a","__proto__":{}}'],
  ['constructor', '{"todoTitle":"a","constructor":{"prototype":{}}}'],
  ['an empty name', '{"todoTitle":"a","":1}'],
  ['gzip without Content-Encoding', Buffer.from('\x1f\x8b\x08\0\0\0\0\0\0\x03', 'latin1')],
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

test('none of these bodies is stored', async () => {
  assert.deepEqual(rows(await app()('GET /todos')), [])
})
