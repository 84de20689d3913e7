import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readerPauses } from './reader-pauses.ts'

const limits = { streamMs: 60_000, pauseMs: 10_000, lagMs: 1_000, minRowsPerSecond: 200 }

/** Reads in a time that passes only when it is told to. The function tells whether the stream ended during a pause. */
const start = (t: TestContext, others = { wait: false }) => {
  let nowMs = 0
  let isEnded = false
  t.mock.method(performance, 'now', () => nowMs)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const end = () => {
    isEnded = true
  }
  const pauses = readerPauses({ limits, isWaitedFor: () => others.wait, end })
  return (pauseMs: number, rows = 0) => {
    pauses.begin()
    for (let passed = 0; passed < pauseMs && !isEnded; passed += 10) {
      nowMs += 10
      t.mock.timers.tick(10)
    }
    pauses.finish(rows)
    return isEnded
  }
}

test('a reader may pause for less than pauseMs, even if it reads nothing', (t) => {
  const isEndedBy = start(t)
  assert.deepEqual([isEndedBy(9_990), isEndedBy(9_990), isEndedBy(10_000)], [false, false, true])
})

test('a stream ends at streamMs, however fast it is read', (t) => {
  const isEndedBy = start(t)
  for (let pause = 0; pause < 599; pause++) assert.equal(isEndedBy(100, 1_000), false)
  assert.equal(isEndedBy(100, 1_000), true)
})

test('while others wait, a reader may fall lagMs behind the minimum pace, over several pauses', (t) => {
  const isEndedBy = start(t, { wait: true })
  assert.equal(isEndedBy(990), false)
  assert.equal(isEndedBy(0, 100), false, 'half a second is made up for')
  assert.equal(isEndedBy(490), false)
  assert.equal(isEndedBy(260), true)
})

test('a reader that reads fast earns no longer pause while others wait', (t) => {
  const isEndedBy = start(t, { wait: true })
  assert.equal(isEndedBy(0, 1_000_000), false)
  assert.equal(isEndedBy(1_000), true)
})

test('a reader that was late while nobody waited catches up by reading lagMs worth of rows', (t) => {
  const others = { wait: false }
  const isEndedBy = start(t, others)
  assert.equal(isEndedBy(9_000), false)
  assert.equal(isEndedBy(0, 200), false)
  others.wait = true
  assert.deepEqual([isEndedBy(990), isEndedBy(260)], [false, true])
})
