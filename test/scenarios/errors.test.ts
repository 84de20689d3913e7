import assert from 'node:assert/strict'
import { test } from 'node:test'
import { person } from '../people.ts'
import { createMember, createTodo } from './creating.ts'
import { expectAnswer, expectErrorShape, jsonBody, mergePatch, service, table } from './table.ts'

const app = service()
const japanese = service({ LOCALE: 'ja' })
const ja = { 'accept-language': 'ja' }

const unknownPath = { status: 404, code: '5001', message: 'Resource not found.' }
const paths = ['/todo', '/Todos', '/todos/a/b', '/todos/a/credential', '/members/a/b/c', '/todos//']
table(
  app,
  paths.map((path) => ({ name: `${path} is an unknown path`, request: `GET ${path}`, ...unknownPath })),
)

type Refusal = readonly [line: string, status: number, code: string, message: string, body?: unknown]

/** The messages in Japanese; the other tests expect them in English. */
const refusals: readonly Refusal[] = [
  ['GET /members/%7Ea%C3%A9', 404, 'e.xx.yy.5001', '指定された会員が見つかりません。会員ID : ~aé'],
  ['POST /todos', 400, '7001', 'リクエストボディの項目に入力エラーがあります。', { todoTitle: '' }],
  ['GET /members?name=', 400, '7002', 'リクエストパラメータの項目に入力エラーがあります。'],
  ['POST /todos', 400, '7003', 'リクエストボディの形式に誤りがあります。', '{'],
  ['GET /todos?page=abc', 400, '7006', 'リクエストパラメータ、ヘッダまたはパス変数の型に誤りがあります。'],
]
table(
  app,
  refusals.map(([request, status, code, message, body]) => ({
    name: `the message of ${code} is in Japanese`,
    request,
    body,
    headers: { ...jsonBody, ...ja },
    status,
    code,
    message,
  })),
)
table(japanese, [
  {
    name: 'a refusal is in Japanese if that is the default and nothing else is accepted',
    request: 'GET /nothing',
    headers: { 'accept-language': 'fr' },
    ...unknownPath,
    message: 'リソースが見つかりません。',
  },
])

test('the refusal of a sign id that is in use names the sign id, also in Japanese', async () => {
  const credential = { signId: 'taken', password: 'open sesame' }
  await createMember(app(), { credential })
  expectAnswer(await app()('POST /members', person({ credential }), ja), {
    status: 409,
    code: 'e.xx.yy.8001',
    message: '指定されたサインIDは使用できません。サインID : taken',
  })
})

test('the refusal of an unknown code lists the valid codes, in JSON and in XML', async () => {
  const wrong = person({ genderCode: '7' })
  const { body } = await app()('POST /members', wrong)
  assert.deepEqual((body as { details: unknown }).details, [
    {
      code: 'ExistInCodeList',
      message: '"genderCode" must exist in code list of CL_GENDER.',
      target: 'genderCode',
      allowed: ['0', '1', '2'],
    },
  ])
  const { text } = await app()('POST /members', wrong, { accept: 'application/xml' })
  assert.match(text, /<allowed><code>0<\/code><code>1<\/code><code>2<\/code><\/allowed><\/detail>/)
})

const wrongType = { status: 400, code: '7003', details: ['finished WrongType'] }
table(
  app,
  [
    { name: 'in English', headers: mergePatch, says: ['"finished" must be a boolean.'] },
    {
      name: 'in Japanese',
      headers: { ...mergePatch, ...ja },
      says: ['"finished" は真偽値でなければなりません。'],
    },
  ].map((row) => ({
    ...row,
    name: `the refusal of a value of the wrong type names the type in words, ${row.name}`,
    request: 'PATCH /todos/{todo}',
    body: { finished: 'yes' },
    ...wrongType,
  })),
  async () => ({ todo: await createTodo(app()) }),
)

const languages: readonly (readonly [string, string])[] = [
  ['ja', 'ja'],
  ['en', 'en'],
  ['fr', 'en'],
  ['fr, ja;q=0.5', 'ja'],
  ['en;q=0.1, ja', 'ja'],
]
table(
  app,
  languages.map(([requested, expected]) => ({
    name: `Accept-Language '${requested.slice(0, 40)}' is answered in ${expected}`,
    request: 'GET /nothing',
    headers: { 'accept-language': requested },
    ...unknownPath,
    message: expected === 'ja' ? 'リソースが見つかりません。' : 'Resource not found.',
    answers: { 'content-language': expected },
  })),
)

table(app, [
  {
    name: 'the error for malformed JSON gives the line and column',
    request: 'POST /todos',
    body: '{\n  "todoTitle": oops\n}',
    headers: jsonBody,
    status: 400,
    code: '7003',
    says: ['Syntax error at line 2, column 16.'],
  },
])

test('errors reveal nothing of the implementation', async () => {
  const requests: [string, unknown?][] = [
    ['POST /todos', '{'],
    ['POST /members', person({ firstName: 5, nickname: 'x' })],
    ['GET /todos?cursor=%00'],
    ['GET /members?name=%00'],
    ['GET /members?name=%ff'],
    ["GET /members/'%22--"],
  ]
  for (const [line, sent] of requests) {
    const answer = await app()(line, sent, jsonBody)
    assert.ok(answer.status >= 200 && answer.status < 500, `${line}: ${answer.status}`)
    assert.doesNotMatch(
      answer.text,
      /sqlite|node:|\.ts\b|at \w+ \(|stack|SELECT|ajv|TypeError|SyntaxError|JSON\.parse/i,
    )
    if (answer.status >= 400) expectErrorShape(answer.body)
  }
})
