import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf, sourceFiles, testFiles } from './source.ts'
import { violations } from './tidy.ts'

test('imports go down the floors, and rooms do not import one another', () => {
  assert.deepEqual(violations(sourceFiles()), [])
})

test('an import that breaks these rules is found', () => {
  const planted: readonly [string, string][] = [
    ['src/core/fold.ts', '#sql/query.ts'],
    ['src/http/api/api.ts', '#sql/database.ts'],
    ['src/http/wire/listener.ts', '#http/message/refusal.ts'],
    ['src/http/message/refusal.ts', '#http/api/routes.ts'],
    ['src/http/api/api.ts', '#http/openapi/document.ts'],
    ['src/sql/query.ts', '#http/api/routes.ts'],
    ['src/resources/todo/service.ts', '#resources/member/service.ts'],
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

test('no source file has a default export, an `any`, or an import path that climbs', () => {
  const found = sourceFiles().filter(({ text }) =>
    /^export default|: any\b|\bas any\b|from '\.\.\//m.test(text),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('src imports node:http for its types only, since a value import loads all of fetch', () => {
  const found = sourceFiles().filter(({ text }) => /^import (?!type ).* from 'node:http'/m.test(text))
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('http, sql and core know no room: none of its fields, and no name of the caller', () => {
  const ofRooms = /\b(?:memberIds?|me|todos?|todoId|finished)\b/
  const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')
  const found = sourceFiles().filter(
    ({ path, text }) =>
      /^src\/(?:http|sql|core)\/(?!.*\.test\.ts$)/.test(path) && ofRooms.test(withoutComments(text)),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('what Node does not document is in one file', () => {
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

test('a test file awaits only above its first test, which would not see what is declared below', () => {
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

test('no handwritten source file has more than 250 lines, except the table of codes', () => {
  const maxLines = 250
  const handwritten = sourceFiles().filter(
    ({ path, text }) => path !== 'src/core/messages.ts' && !text.startsWith('// Generated'),
  )
  const long = handwritten.filter(({ text }) => text.split('\n').length > maxLines)
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  )
})

test('no room has more lines than its budget', () => {
  const budgets = {
    ...{ core: 2_540, sql: 6_780, http: 7_680, access: 1_110, ledger: 1_510, resources: 4_580 },
    ...{ client: 1_900, management: 1_120, cli: 3_990, console: 14_050 },
  }
  for (const [room, budget] of Object.entries(budgets)) {
    const lines = linesOf(`src/${room}/**/*.{ts,tsx,css,html,sql}`)
    assert.ok(lines <= budget, `src/${room} has ${lines} lines, its budget is ${budget}`)
  }
})
