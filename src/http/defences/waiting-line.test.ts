import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '#http/exchange.ts'
import { waitingLine } from './waiting-line.ts'

const exchange = { incoming: { complete: true } } as Exchange

test('in whatever order they leave, those who stay are the ones who wait', () => {
  const line = waitingLine()
  const early = Array.from({ length: 100 }, () => line.add(exchange))
  assert.equal(line.isStuck(1_000), false)
  const late = Array.from({ length: 100 }, () => line.add(exchange))
  assert.equal(line.isStuck(2_001), true, 'the first hundred wait since 1,000')
  for (const [at, waiting] of early.entries()) if (at % 3 > 0) line.remove(waiting)
  assert.equal(line.isStuck(2_200), true, 'a third of them still does')
  for (const [at, waiting] of early.entries()) if (at % 3 === 0) line.remove(waiting)
  assert.equal(line.isStuck(2_400), false, 'the others wait since 2,001')
  assert.equal(line.isStuck(3_100), true)
  for (const waiting of late.reverse()) line.remove(waiting)
  assert.equal(line.isStuck(5_000), false)
})
