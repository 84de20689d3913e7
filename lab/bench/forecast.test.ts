import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastReads, forecastWrites } from './forecast.ts'

test('forecast reads add up over instances until the cores are saturated', () => {
  const share = { perSecond: 10_000, machineUs: 50 }
  assert.equal(forecastReads(share, { instances: 2, cores: 2 }), 20_000)
  assert.equal(forecastReads(share, { instances: 8, cores: 2 }), 40_000)
})

test('the write forecast for one instance equals its measured rate', () => {
  const share = { perSecond: 20_934, machineUs: 67 }
  const forecast = forecastWrites(share, { instances: 1, cores: 2, lanes: 2 })
  assert.ok(Math.abs(forecast - share.perSecond) < 10, String(forecast))
})

test('forecast writes are limited by the cores, or by the disk if it takes nearly all the time', () => {
  const two = { instances: 2, cores: 2, lanes: 2 }
  const withoutDisk = forecastWrites({ perSecond: 20_000, machineUs: 100 }, two)
  assert.ok(Math.abs(withoutDisk - 20_000) < 10, String(withoutDisk))
  const onDisk = forecastWrites({ perSecond: 1_000, machineUs: 1 }, two)
  assert.ok(onDisk >= 1_000 && onDisk < 1_010, String(onDisk))
})
