import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { departure } from '#core/departure.ts'
import { turns } from './turns.ts'

const rowsOfPiece = 64

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
  for await (const _ of turns().pieces(pieces * rowsOfPiece)) {
    passed.push(since)
    since = 0
  }
  isOver = true
  await looping
  return passed.toSorted((a, b) => a - b)
}

const middleOf = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN

test('where nobody else is answered a stream goes on in every turn or two', async () => {
  assert.ok(middleOf(await turnsBetween(50, () => undefined)) <= 2)
})

test('while others are answered a stream lets many turns of theirs pass, and is not forgotten', async () => {
  const passed = await turnsBetween(50, () => departure(() => undefined))
  assert.equal(passed.length, 50)
  assert.ok(middleOf(passed) > 5, `${passed}`)
})
