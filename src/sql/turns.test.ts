import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { departure } from '#core/departure.ts'
import { turns } from './turns.ts'

const rowsPerPiece = 64

/** How many turns of the event loop passed before each piece, while `others` runs in every turn. */
const turnsBetween = async (pieces: number, others: () => void) => {
  const passed: number[] = []
  let since = 0
  let isOver = false
  const loop = async () => {
    for (; !isOver; since++) {
      others()
      await turn()
    }
  }
  const looping = loop()
  for await (const _ of turns().pieces(pieces * rowsPerPiece)) {
    passed.push(since)
    since = 0
  }
  isOver = true
  await looping
  return passed.toSorted((a, b) => a - b)
}

const medianOf = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN

test('while nothing else is answered, a stream continues in every turn or two', async () => {
  assert.ok(medianOf(await turnsBetween(50, () => undefined)) <= 2)
})

test('while others are answered, a stream rests for several turns between pieces, and completes', async () => {
  const passed = await turnsBetween(50, () => departure(() => undefined))
  assert.equal(passed.length, 50)
  assert.ok(medianOf(passed) > 5, `${passed}`)
})
