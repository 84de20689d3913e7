import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsv } from '#src/cli/formats/csv.ts'

/** One piece again and again: a file whose record never ends. */
async function* endless(piece: string, times: number) {
  for (let time = 0; time < times; time++) yield piece
}

const unending: readonly [string, string][] = [
  ['a quote that is never closed', '"'],
  ['a line that never ends', 'a,'],
]

for (const [what, beginning] of unending)
  test(`a file of CSV with ${what} is given up, and not held`, async () => {
    async function* file() {
      yield beginning
      yield* endless('x'.repeat(64 * 1024), 17)
      assert.fail('nobody reads on')
    }
    await assert.rejects(Array.fromAsync(readCsv(file())), /line 1 is too long to be a record/)
  })
