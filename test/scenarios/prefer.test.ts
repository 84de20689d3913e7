import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness.ts'
import { createTodo, sharedMember } from './creating.ts'
import { body, expectAnswer, header, mergePatch, service } from './table.ts'

const app = service()
const member = sharedMember(app)
const minimal = { prefer: 'return=minimal' }

const expectMinimal = (answer: Answer, status: number): void => {
  expectAnswer(answer, { status, answers: { 'preference-applied': 'return=minimal', 'content-type': false } })
  assert.equal(answer.text, '')
}

test('POST with return=minimal answers 201 with Location and no body', async () => {
  const answer = await app()('POST /todos', { todoTitle: 'short' }, minimal)
  expectMinimal(answer, 201)
  const path = header(answer, 'location').slice(`${app().url}/api/v1`.length)
  expectAnswer(await app()(`GET ${path}`), { status: 200, shows: { todoTitle: 'short' } })
})

test('PUT and PATCH with return=minimal answer 204 and take effect', async () => {
  const todo = `/todos/${await createTodo(app())}`
  expectMinimal(await app()(`PUT ${todo}`, undefined, minimal), 204)
  expectMinimal(await app()(`PATCH ${todo}`, { todoTitle: 'less' }, { ...mergePatch, ...minimal }), 204)
  expectAnswer(await app()(`GET ${todo}`), { status: 200, shows: { todoTitle: 'less', finished: true } })
})

for (const prefer of [
  'Return=MINIMAL',
  'return="minimal"',
  'foo="a, b; c", return=minimal',
  String.raw`foo="say \"hello\", please", return=minimal`,
  String.raw`return="mini\mal"`,
  'return=minimal, return=representation',
  ', ,return=minimal;',
]) {
  test(`Prefer: ${prefer} gets a minimal answer`, async () => {
    expectMinimal(await app()(`PUT /todos/${await createTodo(app())}`, undefined, { prefer }), 204)
  })
}

for (const prefer of [
  'return=representation',
  'respond-async',
  'return=nonsense',
  'xreturn=minimal',
  'foo="a,return=minimal"',
  String.raw`foo="\",return=minimal"`,
  'foo; bar="a, return=minimal"',
  'return="mini mal"',
  'return=representation, return=minimal',
  'return, return=minimal',
]) {
  test(`Prefer: ${prefer} gets a full answer`, async () => {
    const answer = await app()(`PUT /todos/${await createTodo(app())}`, undefined, { prefer })
    expectAnswer(answer, { status: 200, shows: { finished: true } })
    assert.notEqual(answer.headers['preference-applied'], 'return=minimal')
  })
}

test('handling=strict refuses unknown query parameters and names them all', async () => {
  const strict = { prefer: 'handling=strict' }
  const path = `/todos/${await createTodo(app())}`
  const undecodable = await app()('GET /todos?%ff=%zz&view=full', undefined, strict)
  expectAnswer(undecodable, { status: 400, code: '7002', details: ['%ff Unknown', 'view Unknown'] })
  for (const line of [
    'GET /todos?foo=1&finished=false&bar=2',
    `GET ${path}?foo&bar`,
    `PUT ${path}?foo=&bar=`,
  ]) {
    const answer = await app()(line, undefined, strict)
    expectAnswer(answer, { status: 400, code: '7002', details: ['foo Unknown', 'bar Unknown'] })
    for (const prefer of ['handling=lenient', 'foo="a, handling=strict"'])
      assert.equal((await app()(line, undefined, { prefer })).status, 200)
  }
  assert.equal((await app()('GET /todos?page=0&size=1&finished=false', undefined, strict)).status, 200)
})

test('DELETE refuses an unknown parameter, and deletes nothing', async () => {
  const todo = `/todos/${await createTodo(app())}`
  const kept = `/members/${(await member()).member}`
  for (const [line, details] of [
    [`DELETE ${kept}?eras=true`, ['eras Unknown']],
    [`DELETE ${kept}?erase=true&fields=memberId`, ['fields Unknown']],
    [`DELETE ${todo}?erase=true`, ['erase Unknown']],
    [`DELETE ${todo}?%ff`, ['%ff Unknown']],
  ] as const)
    expectAnswer(await app()(line), { status: 400, code: '7002', details })
  for (const path of [kept, todo]) expectAnswer(await app()(`GET ${path}`), { status: 200 })
  expectAnswer(await app()(`DELETE ${todo}`), { status: 204 })
})

test('a refusal has its body even with return=minimal', async () => {
  const answer = await app()('POST /todos', { todoTitle: '' }, minimal)
  expectAnswer(answer, {
    status: 400,
    code: '7001',
    details: ['todoTitle Size'],
    answers: { 'preference-applied': false },
  })
})

test('GET answers in full despite return=minimal', async () => {
  const answer = await app()(`GET /members/${(await member()).member}`, undefined, minimal)
  assert.equal(answer.status, 200)
  assert.ok('firstName' in body(answer))
})
