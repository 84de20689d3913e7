import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonWords } from '#core/messages.ts'
import { notFound, Problem } from '#core/problem.ts'
import { type RefusalRules, refusal } from './refusal.ts'

const rules: RefusalRules = {
  words: commonWords,
  locale: 'en',
  errorsUrl: 'https://one.example/errors#',
  basePath: '',
}
const problemJson = 'application/problem+json'

interface Request {
  readonly accept?: string
  readonly acceptLanguage?: string
  readonly path?: string
  readonly track?: string
}

const bodyOf = (problem: Problem, request: Request = {}, by = rules) =>
  String(refusal(problem, { path: '/a', track: 't1', ...request }, by).body)

const tooLong = { code: 'Size', target: 'todoTitle', args: { min: 1, max: 30 } }
const details = [tooLong]
const unshared = () => new Problem('bodyInvalid', { details })
const shared = new Problem('bodyInvalid', { details, isShared: true })

const requests: readonly Request[] = [
  {},
  { acceptLanguage: 'ja' },
  { accept: 'application/xml' },
  { accept: 'application/xml', acceptLanguage: 'ja' },
  { accept: problemJson },
  { accept: problemJson, acceptLanguage: 'ja' },
  { accept: problemJson, path: '/b"\n', track: 't2' },
]

test('a shared problem is written for each request exactly as an unshared one', () => {
  for (const request of [...requests, ...requests.toReversed()])
    assert.equal(bodyOf(shared, request), bodyOf(unshared(), request), JSON.stringify(request))
  assert.equal(new Set(requests.map((request) => bodyOf(shared, request))).size, requests.length)
})

test('problem details carry the path, the track and the language of their request', () => {
  const bodies = requests.slice(-2).map((request) => JSON.parse(bodyOf(shared, request)))
  assert.deepEqual(bodies[0], {
    type: 'https://one.example/errors#e.xx.fw.7001',
    title: 'リクエストボディの項目に入力エラーがあります。',
    status: 400,
    detail:
      'リクエストボディの項目に入力エラーがあります。 "todoTitle" の長さは 1 から 30 まででなければなりません。',
    code: 'e.xx.fw.7001',
    message: 'リクエストボディの項目に入力エラーがあります。',
    details: [
      {
        code: 'Size',
        message: '"todoTitle" の長さは 1 から 30 まででなければなりません。',
        target: 'todoTitle',
      },
    ],
    instance: '/a',
    trackId: 't1',
  })
  assert.deepEqual([bodies[1].instance, bodies[1].trackId], ['/b"\n', 't2'])
})

test('the instance of problem details resolves to the requested path, below the base path if any', () => {
  const resolved = (path: string, basePath: string) => {
    const { instance } = JSON.parse(bodyOf(shared, { accept: problemJson, path }, { ...rules, basePath }))
    return URL.parse(instance, 'https://one.example/asked')?.href
  }
  for (const [path, basePath, expected] of [
    ['/a', '', '/a'],
    ['/a', '/base', '/base/a'],
    ['//a/b', '', '//a/b'],
    ['//a/b', '/base', '/base//a/b'],
    ['', '/base', '/asked'],
  ] as const) {
    assert.equal(resolved(path, basePath), `https://one.example${expected}`, `${basePath} ${path}`)
  }
})

test('each service refuses with its own texts and its own errors URL', () => {
  const words = { ...commonWords, en: { ...commonWords.en, 'e.xx.fw.5001': 'Gone fishing.' } }
  const other: RefusalRules = { words, locale: 'ja', errorsUrl: 'https://two.example/', basePath: '' }
  const here = JSON.parse(bodyOf(notFound(), { accept: problemJson }))
  const there = JSON.parse(bodyOf(notFound(), { accept: problemJson, acceptLanguage: 'en' }, other))
  assert.deepEqual(
    [here.type, here.message],
    ['https://one.example/errors#e.xx.fw.5001', 'Resource not found.'],
  )
  assert.deepEqual([there.type, there.message], ['https://two.example/e.xx.fw.5001', 'Gone fishing.'])
})
