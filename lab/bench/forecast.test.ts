import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastReads } from './forecast.ts'

test('in the forecast, the reads of several instances add up until the cores are saturated', () => {
  const share = { perSecond: 10_000, machineUs: 50 }
  assert.equal(forecastReads(share, { instances: 2, cores: 2 }), 20_000)
  assert.equal(forecastReads(share, { instances: 8, cores: 2 }), 40_000)
})
