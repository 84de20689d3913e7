import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles, testFiles } from './source.ts'
import { violations } from './tidy.ts'

test('imports go down the floors, and rooms do not know one another', () => {
  assert.deepEqual(violations(sourceFiles()), [])
})

test('an import that breaks the house is found', () => {
  const planted: readonly [string, string][] = [
    ['src/core/fold.ts', '#sql/query.ts'],
    ['src/http/api.ts', '#sql/database.ts'],
    ['src/sql/query.ts', '#http/routes.ts'],
    ['src/resources/todo/service.ts', '#resources/member/service.ts'],
    ['src/http/api.ts', '#access/policy.ts'],
    ['src/http/api.ts', '#http/routes.ts'],
    ['src/access/basic.ts', '#ledger/secrets.ts'],
    ['src/http/api.ts', '../core/fold.ts'],
    ['src/http/api.ts', '#src/app.ts'],
  ]
  for (const [path, specifier] of planted) {
    assert.equal(
      violations([{ path, text: `import { x } from '${specifier}'` }]).length,
      1,
      `${path} → ${specifier}`,
    )
  }
})

test('a file of ours holds no default export, no `any`, and no path that climbs', () => {
  const found = sourceFiles().filter(({ text }) =>
    /^export default|: any\b|\bas any\b|from '\.\.\//m.test(text),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('node:http is imported for its types alone: an import looks at every name, and one loads all of fetch', () => {
  const found = sourceFiles().filter(({ text }) => /^import (?!type ).* from 'node:http'/m.test(text))
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('a test file waits at its top before its tests begin: they would not find what stands further down', () => {
  const begun = /^ *(?:test|suite|for) ?\(/m
  const waits = /^(?! ).*\bawait\b(?<!async.*)|^ *skip: await\b/m
  const found = testFiles().filter(({ text }) => waits.test(text.slice(text.search(begun))))
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('the client is whole in itself: a page loads it without a bundler', () => {
  const found = sourceFiles().filter(
    ({ path, text }) => path.startsWith('src/client/') && /^[^*\n]*from '[^.]/m.test(text),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('no file that somebody writes outgrows two screens by far', () => {
  const mostLines = 250
  const written = sourceFiles().filter(({ text }) => !text.startsWith('// Generated'))
  const long = written.filter(({ text }) => text.split('\n').length > mostLines)
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  )
})
