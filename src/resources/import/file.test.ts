import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileReader } from './file.ts'
import { maxColumns } from './files/refused.ts'

const reading = (text: string) => {
  async function* pieces() {
    yield Buffer.from(text)
  }
  const options = { header: null, encoding: null, sheet: null }
  return fileReader({ pieces: pieces(), options, headerOf: ([first]) => first }).next(0, 10)
}

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `column${from + at}`)

const recordOf = (from: number, to: number) =>
  JSON.stringify(Object.fromEntries(names(from, to).map((name) => [name, 1])))

test('a CSV file with more columns than the limit is refused', async () => {
  const csv = (count: number) => `${names(0, count)}\n${names(0, count)}\n`
  assert.equal((await reading(csv(maxColumns))).length, 1)
  await assert.rejects(reading(csv(maxColumns + 1)), { code: 'columns' })
})

test('records that together have more fields than the limit of columns are refused', async () => {
  const lines = (count: number) => `${recordOf(0, 600)}\n${recordOf(600, count)}\n`
  assert.equal((await reading(lines(maxColumns))).length, 2)
  await assert.rejects(reading(lines(maxColumns + 1)), { code: 'columns' })
})
