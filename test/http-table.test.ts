import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const page = new URL('../docs/http.md', import.meta.url)

/** Every test file that the tables name, with the test names that follow it in the row. */
const cited = readFileSync(page, 'utf8')
  .split('\n')
  .flatMap((row) => [...row.matchAll(/\]\((\.\.\/[^)]+\.test\.ts)\)((?:,? “[^”]+”)*)/g)])
  .map(([, path = '', names = '']) => ({
    path,
    names: [...names.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name),
  }))

test('the HTTP tables name only tests that exist', () => {
  assert.ok(cited.length > 50)
  for (const { path, names } of cited) {
    const file = new URL(path, page)
    assert.ok(existsSync(file), path)
    const source = readFileSync(file, 'utf8')
    const missing = names.filter((name) => !source.includes(`'${name}`) && !source.includes(`\`${name}`))
    assert.deepEqual(missing, [], path)
  }
})

test('every row of the HTTP tables names a test', () => {
  const rows = readFileSync(page, 'utf8')
    .split('\n')
    .filter((row) => row.startsWith('| ') && !row.startsWith('| section') && !row.startsWith('| standard'))
  assert.deepEqual(
    rows.filter((row) => !/\.test\.ts\)|`npm --prefix lab run judges/.test(row)),
    [],
  )
})
