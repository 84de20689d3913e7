import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { overloaded } from '#core/problem.ts'
import { type Slots, slots } from './slots.ts'

const refused = { kind: 'overloaded' }

/** One place is taken, and this many wait for it. */
const withLine = (length: number, limits: { maxWaiting: number; waitMs?: number; aimMs?: number }) => {
  const places = slots({ places: 1, waitMs: 5_000, refusal: () => overloaded(), ...limits })
  places.takeNow()
  const line = Array.from({ length }, () => places.take())
  return { places, line }
}

const serve = (places: Slots, count: number) => {
  for (let served = 0; served < count; served++) places.release()
}

describe('a line for places', () => {
  test('lets in who comes first', async () => {
    const { places, line } = withLine(2, { maxWaiting: 2 })
    const order: number[] = []
    const came = line.map((turn, index) => turn.then(() => order.push(index)))
    serve(places, 2)
    await Promise.all(came)
    assert.deepEqual(order, [0, 1])
  })

  test('is no longer than it may be', async () => {
    const { places, line } = withLine(3, { maxWaiting: 3 })
    await assert.rejects(places.take(), refused)
    serve(places, 3)
    await Promise.all(line)
  })

  test('keeps nobody longer than it may', async () => {
    const { line } = withLine(1, { maxWaiting: 1, waitMs: 20 })
    await assert.rejects(Promise.all(line), refused)
  })

  test('is joined only by those who are served in time, as far as those before tell', async () => {
    const { places, line } = withLine(40, { maxWaiting: 1_000, aimMs: 250 })
    for (let served = 0; served < 20; served++) {
      await sleep(20)
      places.release()
    }
    assert.equal(places.waiting(), 20)
    await assert.rejects(places.take(), refused)
    serve(places, 13)
    const late = places.take()
    serve(places, 8)
    await Promise.all([...line, late])
  })

  test('may be long where each is served at once', async () => {
    const { places, line } = withLine(500, { maxWaiting: 1_000, aimMs: 250 })
    await sleep(100)
    serve(places, 100)
    line.push(...Array.from({ length: 600 }, () => places.take()))
    assert.equal(places.waiting(), 1_000)
    await assert.rejects(places.take(), refused)
    serve(places, 1_000)
    await Promise.all(line)
  })

  test('does not suffer for a slow one that has ended', async () => {
    const { places, line } = withLine(3, { maxWaiting: 1_000, aimMs: 1 })
    for (let served = 0; served < 4; served++) {
      await sleep(20)
      places.release()
    }
    await Promise.all(line)
    places.takeNow()
    const next = Array.from({ length: 100 }, () => places.take())
    serve(places, 100)
    await Promise.all(next)
  })

  test('does not take the time when nobody waited for a slow service', async () => {
    const { places } = withLine(0, { maxWaiting: 1_000, aimMs: 1 })
    for (let served = 0; served < 20; served++) {
      places.release()
      await sleep(5)
      places.takeNow()
    }
    const line = Array.from({ length: 100 }, () => places.take())
    serve(places, 100)
    await Promise.all(line)
  })
})
