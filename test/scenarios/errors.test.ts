import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness.ts'
import { person } from '../people.ts'
import { createMember, createTodo } from './creating.ts'
import {
  type Body,
  body,
  expectAnswer,
  expectErrorShape,
  jsonBody,
  mergePatch,
  type Row,
  service,
  table,
  unknownId,
} from './table.ts'

const app = service()
const japanese = service({ LOCALE: 'ja' })
const ja = { 'accept-language': 'ja' }

const unknownPath = { status: 404, code: '5001', message: 'Resource not found.' }
const paths = [
  '/nothing',
  '/todo',
  '/Todos',
  '/todos/a/b',
  `/todos/${unknownId}/credential`,
  '/members/a/b/c',
  '/members/a/credentials',
  '/todos//',
]
table(
  app,
  paths.flatMap((path) =>
    ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].map((method) => ({
      name: `${method} ${path} is an unknown path`,
      request: `${method} ${path}`,
      ...unknownPath,
    })),
  ),
)

/** Refusals that a single request can cause, with their messages in both languages. */
const refusals: readonly (readonly [string, Omit<Row, 'name'>, string, string])[] = [
  [
    'an unknown todo',
    { request: `GET /todos/${unknownId}`, status: 404, code: '5001' },
    'Resource not found.',
    'リソースが見つかりません。',
  ],
  [
    'an unknown member',
    { request: `GET /members/${unknownId}`, status: 404, code: 'e.xx.yy.5001' },
    `Specified member not found. member id : ${unknownId}`,
    `指定された会員が見つかりません。会員ID : ${unknownId}`,
  ],
  [
    'an unknown id that was sent encoded',
    { request: 'GET /members/%7Ea%C3%A9', status: 404, code: 'e.xx.yy.5001' },
    'Specified member not found. member id : ~aé',
    '指定された会員が見つかりません。会員ID : ~aé',
  ],
  [
    'an invalid body',
    { request: 'POST /todos', body: { todoTitle: '' }, status: 400, code: '7001' },
    'Validation error occurred on item in the request body.',
    'リクエストボディの項目に入力エラーがあります。',
  ],
  [
    'an invalid parameter',
    { request: 'GET /members?name=', status: 400, code: '7002' },
    'Validation error occurred on item in the request parameters.',
    'リクエストパラメータの項目に入力エラーがあります。',
  ],
  [
    'a malformed body',
    { request: 'POST /todos', body: '{', headers: jsonBody, status: 400, code: '7003' },
    'Request body format error occurred.',
    'リクエストボディの形式に誤りがあります。',
  ],
  [
    'a parameter of the wrong type',
    { request: 'GET /todos?page=abc', status: 400, code: '7006' },
    'Type mismatch error occurred in request parameter, header or path variable.',
    'リクエストパラメータ、ヘッダまたはパス変数の型に誤りがあります。',
  ],
]
for (const [cause, { headers, ...row }, english, inJapanese] of refusals) {
  const rows: Row[] = [
    {
      ...row,
      name: `${cause} is refused in English`,
      headers: { ...headers, 'accept-language': 'en' },
      message: english,
      answers: { 'content-language': 'en', 'content-type': /^application\/json/ },
    },
    {
      ...row,
      name: `${cause} is refused in Japanese`,
      headers: { ...headers, ...ja },
      message: inJapanese,
      answers: { 'content-language': 'ja' },
    },
  ]
  table(app, rows)
  table(japanese, [
    {
      ...row,
      name: `${cause} is refused in Japanese if that is the default`,
      headers: { ...headers, 'accept-language': 'fr' },
      message: inJapanese,
    },
  ])
}

test('the refusal of a sign id in use names it, in English and in Japanese', async () => {
  const credential = { signId: 'taken', password: 'open sesame' }
  await createMember(app(), { credential })
  expectAnswer(await app()('POST /members', person({ credential })), {
    status: 409,
    code: 'e.xx.yy.8001',
    message: 'Cannot use specified sign id. sign id : taken',
  })
  expectAnswer(await app()('POST /members', person({ credential }), ja), {
    status: 409,
    code: 'e.xx.yy.8001',
    message: '指定されたサインIDは使用できません。サインID : taken',
  })
})

const wrongTypes: readonly (readonly [string, Body, string, string])[] = [
  ['finished', { finished: 'yes' }, 'must be a boolean.', 'は真偽値でなければなりません。'],
  ['todoTitle', { todoTitle: 1 }, 'must be a string.', 'は文字列でなければなりません。'],
]
for (const [target, sent, english, japanese] of wrongTypes) {
  test(`${target} of the wrong type is refused in words, in English and in Japanese`, async () => {
    const path = `PATCH /todos/${await createTodo(app())}`
    expectWrongType(await app()(path, sent, mergePatch), target, english)
    expectWrongType(await app()(path, sent, { ...mergePatch, ...ja }), target, japanese)
  })
}

const expectWrongType = (answer: Answer, target: string, words: string) => {
  expectAnswer(answer, { status: 400, code: '7003' })
  const [detail] = body(answer).details as Body[]
  const message = `"${target}" ${words}`
  assert.deepEqual(detail, { code: 'WrongType', message, target })
}

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

test('the error for malformed JSON gives the line and column', async () => {
  const answer = await app()('POST /todos', '{\n  "todoTitle": oops\n}', jsonBody)
  expectAnswer(answer, { status: 400, code: '7003' })
  const details = body(answer).details
  assert.ok(Array.isArray(details) && details.length > 0, answer.text)
  const message = String(details[0].message)
  assert.match(message, /\b2\b/, 'the line')
  assert.match(message, /\b1[5-9]\b/, 'the column')
})

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
