import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sourceFiles } from './source.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

const index = read('docs/decisions/README.md')
const records = readdirSync(new URL('../docs/decisions/', import.meta.url))
  .filter((file) => /^\d{4}-/.test(file))
  .sort()
const silentRows = [...index.matchAll(/^\| (\d+) \| .* \| \[(\d{4})\]/gm)].map(([, line, record]) => ({
  line,
  record,
}))
const cited = new Map<string, string[]>()
for (const { path, text } of sourceFiles()) {
  for (const [, record = ''] of text.matchAll(/decision (\d{4})/g))
    cited.set(record, [...(cited.get(record) ?? []), path])
}

test('every line of the specification that says "not shown" has a row in the index of decisions', () => {
  const lines = read('docs/spec.md').split('\n')
  const silent = lines.flatMap((line, at) => (line.includes('not shown') ? [at + 1] : []))
  assert.deepEqual(
    silentRows.map(({ line }) => Number(line)),
    silent,
  )
})

test('the index lists every decision record, and no other', () => {
  const named = [...index.matchAll(/\((\d{4}-[a-z0-9-]+\.md)\)/g)].map(([, file]) => file)
  assert.deepEqual([...new Set(named)].sort(), records)
})

test('every decision about a "not shown" line is cited in the source', () => {
  const uncited = silentRows.map(({ record = '' }) => record).filter((record) => !cited.has(record))
  assert.deepEqual(uncited, [])
})

test('the source cites only decision records that exist', () => {
  const known = records.map((file) => file.slice(0, 4))
  assert.deepEqual(
    [...cited].filter(([record]) => !known.includes(record)),
    [],
  )
})
