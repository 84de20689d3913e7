import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { overloaded } from './problem.ts'
import { slots } from './slots.ts'

const refused = { kind: 'overloaded' }

/** One slot that is taken, with this many waiting callers. */
const withQueue = (
  length: number,
  limits: { maxWaiting: number; waitMs?: number; targetWaitMs?: number },
) => {
  const places = slots({ places: 1, waitMs: 60_000, refusal: () => overloaded(), ...limits })
  void places.take()
  const queue = Array.from({ length }, () => places.take())
  return { places, queue }
}

/** A manual clock for the pace of a queue. */
const stoppedClock = (t: TestContext) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  return (ms: number) => {
    nowMs += ms
  }
}

const serve = (places: ReturnType<typeof slots>, count: number) => {
  for (let served = 0; served < count; served++) places.release()
}

describe('A queue for slots', () => {
  test('refuses a caller that has waited as long as allowed', async () => {
    const { places, queue } = withQueue(1, { maxWaiting: 1, waitMs: 20 })
    await assert.rejects(Promise.all(queue), refused)
    assert.equal(places.waiting(), 0)
    places.release()
    assert.equal(places.taken(), 0, 'its place went to nobody')
  })

  test('refuses callers that could not be served in time at the recent pace', async (t) => {
    const pass = stoppedClock(t)
    const { places, queue } = withQueue(40, { maxWaiting: 1_000, targetWaitMs: 250 })
    for (let served = 0; served < 20; served++) {
      pass(20)
      places.release()
    }
    assert.equal(places.waiting(), 20)
    await assert.rejects(places.take(), refused)
    serve(places, 13)
    const late = places.take()
    serve(places, 8)
    await Promise.all([...queue, late])
  })

  test('may reach its full length while callers are served at once', async (t) => {
    const pass = stoppedClock(t)
    const { places, queue } = withQueue(500, { maxWaiting: 1_000, targetWaitMs: 250 })
    pass(100)
    serve(places, 100)
    queue.push(...Array.from({ length: 600 }, () => places.take()))
    assert.equal(places.waiting(), 1_000)
    await assert.rejects(places.take(), refused)
    serve(places, 1_000)
    await Promise.all(queue)
  })

  test('a queue that was emptied no longer counts how slowly it moved before', async (t) => {
    const pass = stoppedClock(t)
    const { places, queue } = withQueue(3, { maxWaiting: 1_000, targetWaitMs: 1 })
    for (let served = 0; served < 4; served++) {
      pass(20)
      places.release()
    }
    await Promise.all(queue)
    void places.take()
    const next = Array.from({ length: 100 }, () => places.take())
    serve(places, 100)
    await Promise.all(next)
  })

  test('estimates its pace only from the time in which somebody waited', async (t) => {
    const pass = stoppedClock(t)
    const { places } = withQueue(0, { maxWaiting: 1_000, targetWaitMs: 1 })
    for (let served = 0; served < 20; served++) {
      places.release()
      pass(5)
      void places.take()
    }
    const queue = Array.from({ length: 100 }, () => places.take())
    serve(places, 100)
    await Promise.all(queue)
  })
})
