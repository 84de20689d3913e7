import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '#http/wire/exchange.ts'
import { waitingRequests } from './waiting-line.ts'

const exchange = { incoming: { complete: true } } as Exchange

test('requests may leave in any order, and only those that have not left count as waiting', () => {
  const line = waitingRequests()
  const early = Array.from({ length: 100 }, () => line.add(exchange))
  assert.equal(line.isOverdue(1_000), false)
  const late = Array.from({ length: 100 }, () => line.add(exchange))
  assert.equal(line.isOverdue(2_001), true, 'the first hundred have waited since 1,000')
  for (const [at, waiting] of early.entries()) if (at % 3 > 0) line.remove(waiting)
  assert.equal(line.isOverdue(2_200), true, 'a third of them still wait')
  for (const [at, waiting] of early.entries()) if (at % 3 === 0) line.remove(waiting)
  assert.equal(line.isOverdue(2_400), false, 'the others have waited since 2,001')
  assert.equal(line.isOverdue(3_100), true)
  for (const waiting of late.reverse()) line.remove(waiting)
  assert.equal(line.isOverdue(5_000), false)
})
