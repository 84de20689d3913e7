import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sendBatched } from '#core/response-batch.ts'
import { timeSlices } from './time-slices.ts'

const rangeRows = 64

/** Counts the turns of the event loop before each range of rows, while `others` runs in every turn. */
const turnsBetween = async (ranges: number, others: () => void) => {
  const turnCounts: number[] = []
  let turnsSinceRange = 0
  let isOver = false
  const loop = async () => {
    for (; !isOver; turnsSinceRange++) {
      others()
      await turn()
    }
  }
  const loopEnded = loop()
  for await (const _ of timeSlices()(ranges * rangeRows)) {
    turnCounts.push(turnsSinceRange)
    turnsSinceRange = 0
  }
  isOver = true
  await loopEnded
  return turnCounts.toSorted((a, b) => a - b)
}

const medianOf = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN

test('a stream continues every turn or two while nothing else is answered', async () => {
  assert.ok(medianOf(await turnsBetween(50, () => undefined)) <= 2)
})

test('while other requests are answered, a stream pauses for several turns between ranges of rows, and completes', async () => {
  const passed = await turnsBetween(50, () => sendBatched(() => undefined))
  assert.equal(passed.length, 50)
  assert.ok(medianOf(passed) > 5, `${passed}`)
})
