import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastReads, forecastWrites } from '../bench/forecast.ts'

test('reads of several instances add up until the cores are full', () => {
  const share = { perSecond: 10_000, machineUs: 50 }
  assert.equal(forecastReads(share, { instances: 2, cores: 2 }), 20_000)
  assert.equal(forecastReads(share, { instances: 8, cores: 2 }), 40_000)
})

test('one instance is forecast to write what it was measured to write', () => {
  const share = { perSecond: 20_934, machineUs: 67 }
  const forecast = forecastWrites(share, { instances: 1, cores: 2, lanes: 2 })
  assert.ok(Math.abs(forecast - share.perSecond) < 10, String(forecast))
})

test('writes fill the cores where the disk takes no time, and are limited by the disk where it takes nearly all', () => {
  const two = { instances: 2, cores: 2, lanes: 2 }
  const withoutDisk = forecastWrites({ perSecond: 20_000, machineUs: 100 }, two)
  assert.ok(Math.abs(withoutDisk - 20_000) < 10, String(withoutDisk))
  const onDisk = forecastWrites({ perSecond: 1_000, machineUs: 1 }, two)
  assert.ok(onDisk >= 1_000 && onDisk < 1_010, String(onDisk))
})
