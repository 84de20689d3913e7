import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf, sourceFiles, testFiles } from './source.ts'
import { violations } from './tidy.ts'

test('modules import only from lower layers, and resources do not import one another', () => {
  assert.deepEqual(violations(sourceFiles()), [])
})

test('a forbidden import is found', () => {
  const planted: readonly [string, string][] = [
    ['src/core/fold.ts', '#sql/query.ts'],
    ['src/http/api/api.ts', '#sql/database.ts'],
    ['src/http/wire/listener.ts', '#http/message/refusal.ts'],
    ['src/http/message/refusal.ts', '#http/api/routes.ts'],
    ['src/http/api/api.ts', '#http/openapi/document.ts'],
    ['src/sql/query.ts', '#http/api/routes.ts'],
    ['src/resources/webhook/service.ts', '#resources/member/service.ts'],
    ['src/http/api/api.ts', '#access/policy.ts'],
    ['src/http/api/api.ts', '#http/api/routes.ts'],
    ['src/access/basic.ts', '#ledger/secrets.ts'],
    ['src/http/api/api.ts', '../core/fold.ts'],
    ['src/http/api/api.ts', '#src/app.ts'],
  ]
  for (const [path, specifier] of planted) {
    assert.equal(
      violations([{ path, text: `import { x } from '${specifier}'` }]).length,
      1,
      `${path} → ${specifier}`,
    )
  }
})

test('no source file has a default export, an `any`, or an import path with ../', () => {
  const found = sourceFiles().filter(({ text }) =>
    /^export default|: any\b|\bas any\b|from '\.\.\//m.test(text),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('src imports only types from node:http, because an import of values loads all of fetch', () => {
  const found = sourceFiles().filter(({ text }) => /^import (?!type ).* from 'node:http'/m.test(text))
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('http, sql and core name no resource, none of their fields, and not the caller', () => {
  const ofResources = /\b(?:memberIds?|me|todos?|todoId|finished)\b/
  const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')
  const found = sourceFiles().filter(
    ({ path, text }) =>
      /^src\/(?:http|sql|core)\/(?!.*\.test\.ts$)/.test(path) && ofResources.test(withoutComments(text)),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('undocumented features of Node are used in one file only', () => {
  const undocumented =
    /\b(?:_last|_httpMessage|_read\(|_handle|destroySoon|httpAllowHalfOpen|shouldKeepAlive|HPE_(?!HEADER_OVERFLOW)\w+)|prototype\.close|\.listeners\('connection'\)|removeAllListeners\('|emit\('finish'\)/
  const found = sourceFiles().filter(
    ({ path, text }) => undocumented.test(text) && !path.endsWith('.test.ts'),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    ['src/http/wire/undocumented.ts'],
  )
})

test('every database is opened through app/database, which checks what its URL names', () => {
  const found = sourceFiles().filter(({ text }) => /^import .*\bopenDatabase\b/m.test(text))
  assert.deepEqual(
    found.map(({ path }) => path).filter((path) => !/\.test\.ts$/.test(path)),
    ['src/app/database.ts'],
  )
})

test('no test file awaits at its top level below a test, which would run before the declarations that follow', () => {
  const testBegins = /^ *(?:test|suite|for) ?\(/m
  const waits = /^(?! ).*\bawait\b(?<!async.*)|^ *skip: await\b/m
  const found = testFiles().filter(({ text }) => waits.test(text.slice(text.search(testBegins))))
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('the client runs without other files, so that a page can load it without a bundler: it imports their types only', () => {
  const valueOfOthers =
    /^(?:import|export) (?!type\b)(?:[\w*, ]*\{[^}]*\}|[\w*, ]+) from '[^.]|^import '[^.]/m
  const found = sourceFiles().filter(
    ({ path, text }) => path.startsWith('src/client/') && valueOfOthers.test(text),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

/** Files that hold one table. */
const tables = ['src/core/messages.ts', 'src/config/settings.ts']

test('no handwritten source file has more than 250 lines, except those that hold one table', () => {
  const maxLines = 250
  const handwritten = sourceFiles().filter(
    ({ path, text }) => !tables.includes(path) && !text.startsWith('// Generated'),
  )
  const long = handwritten.filter(({ text }) => text.split('\n').length > maxLines)
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  )
})

/**
 * Lines without tests and generated files. A folder may be a little over its number; all folders together may not. The aim is 46,000:
 * imports, exports for people, saved views, deliveries, invitations, a faster search, and rules that count have not been paid for by
 * deletions.
 */
const budgets = {
  core: 2_960,
  sql: 7_790,
  http: 8_150,
  access: 1_220,
  ledger: 1_740,
  resources: 12_370,
  client: 1_695,
  management: 1_100,
  cli: 4_450,
  console: 16_731,
}
const slackPercent = 3
const allLines = 62_521

test('no folder has more lines than its budget allows, and neither has the total', () => {
  const folders = Object.entries(budgets).map(([folder, budget]) => ({
    folder,
    budget,
    lines: linesIn(`src/${folder}`),
  }))
  const over = folders.filter(({ budget, lines }) => lines > budget * (1 + slackPercent / 100))
  const all = linesIn('src')
  const offenders = [...over, ...(all > allLines ? [{ folder: 'all', budget: allLines, lines: all }] : [])]
  assert.deepEqual(
    offenders.map(({ folder, budget, lines }) => `src/${folder} has ${lines} lines, its budget is ${budget}`),
    [],
  )
})

const linesIn = (folder: string) => linesOf(`${folder}/**/*.{ts,tsx,js,css,html,sql}`)
