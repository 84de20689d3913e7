import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '#http/exchange.ts'
import { rateLimit } from './rate-limit.ts'

test('beyond 100,000 callers, the caller whose window began first is forgotten', async () => {
  const limit = rateLimit({
    rate: { count: 2, seconds: 60 },
    clock: { now: () => 0 },
    shared: undefined,
    lost: (error) => assert.fail(String(error)),
  })
  const newExchange = () => ({ extraHeaders: [] as readonly string[] }) as Exchange
  const leftOf = async (caller: string) => {
    const exchange = newExchange()
    await limit(exchange, caller)
    return /r=(\d)/.exec(`${exchange.extraHeaders}`)?.[1]
  }
  for (let caller = 0; caller <= 100_000; caller++) await limit(newExchange(), `caller ${caller}`)
  assert.equal(await leftOf('caller 1'), '0')
  assert.equal(await leftOf('caller 0'), '1')
})
