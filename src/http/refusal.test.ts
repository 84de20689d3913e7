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

interface Asking {
  readonly accept?: string
  readonly acceptLanguage?: string
  readonly path?: string
  readonly track?: string
}

const bodyOf = (problem: Problem, asking: Asking = {}, by = rules) =>
  String(refusal(problem, { path: '/a', track: 't1', ...asking }, by).body)

const tooLong = { code: 'Size', target: 'todoTitle', args: { min: 1, max: 30 } }
const details = [tooLong]
const once = () => new Problem('bodyInvalid', { details })
const shared = new Problem('bodyInvalid', { details, isShared: true })

const askings: readonly Asking[] = [
  {},
  { acceptLanguage: 'ja' },
  { accept: 'application/xml' },
  { accept: 'application/xml', acceptLanguage: 'ja' },
  { accept: problemJson },
  { accept: problemJson, acceptLanguage: 'ja' },
  { accept: problemJson, path: '/b"\n', track: 't2' },
]

test('what many meet is said to each as if nobody else had met it', () => {
  for (const asking of [...askings, ...askings.toReversed()])
    assert.equal(bodyOf(shared, asking), bodyOf(once(), asking), JSON.stringify(asking))
  assert.equal(new Set(askings.map((asking) => bodyOf(shared, asking))).size, askings.length)
})

test('problem details tell of the request that met them', () => {
  const told = askings.slice(-2).map((asking) => JSON.parse(bodyOf(shared, asking)))
  assert.deepEqual(told[0], {
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
  assert.deepEqual([told[1].instance, told[1].trackId], ['/b"\n', 't2'])
})

test('problem details lead to what was asked for, also where the service is reached below a path', () => {
  const ledTo = (path: string, basePath: string) => {
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
    assert.equal(ledTo(path, basePath), `https://one.example${expected}`, `${basePath} ${path}`)
  }
})

test('each service says it in its own words', () => {
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
