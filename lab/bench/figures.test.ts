import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './aims.ts'
import { intervalOf } from './figures.ts'

test('a 95 % confidence interval of the median leaves out the same number of values at each end', () => {
  const table = [
    { count: 2, low: 1, high: 2 },
    { count: 6, low: 1, high: 6 },
    { count: 8, low: 1, high: 8 },
    { count: 9, low: 2, high: 8 },
    { count: 20, low: 6, high: 15 },
  ]
  for (const { count, low, high } of table) {
    const values = Array.from({ length: count }, (_, at) => count - at)
    assert.deepEqual(intervalOf(values), { median: (count + 1) / 2, low, high })
  }
})

test('an aim is met if the worse end of the interval meets it, and missed if the better end misses it', () => {
  const table = [
    { rates: [4.1, 5, 6], verdict: 'met' },
    { rates: [3.9, 5, 6], verdict: 'undecided' },
    { rates: [3.9, 3.8, 3.7], verdict: 'missed' },
  ]
  for (const { rates, verdict } of table) {
    const legs = rates.flatMap((rate, lap) => [leg('rollcall', lap, rate), leg('fastify-sqlite', lap, 1)])
    assert.deepEqual(
      judge(legs)
        .filter(({ unit }) => unit === '×')
        .map((each) => each.verdict),
      [verdict],
    )
  }
})

const leg = (peer: string, lap: number, perSecond: number) => ({
  ...{ peer, lap, perSecond, workload: 'create' },
  ...{ p50Ms: 1, p99Ms: 1, cpuUs: 1, writtenBytes: 1, residentBytes: 1 },
})
