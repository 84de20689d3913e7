import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '#http/wire/exchange.ts'
import { type Allowances, rateLimit } from './rate-limit.ts'

const from = (name: string) => {
  const extraHeaders: readonly string[] = []
  return { principal: { kind: 'member', name }, extraHeaders } as Exchange
}

const origin = { address: () => '127.0.0.1' }

test('beyond 100,000 callers, the caller whose window began first is forgotten', async () => {
  const limit = rateLimit({
    rate: { count: 2, seconds: 60 },
    clock: { now: () => 0 },
    shared: undefined,
    onUnreachable: (error) => assert.fail(String(error)),
    origin,
  })
  const leftOf = async (caller: string) => {
    const exchange = from(caller)
    await limit.count(exchange)
    return /r=(\d)/.exec(`${exchange.extraHeaders}`)?.[1]
  }
  for (let caller = 0; caller <= 100_000; caller++) await limit.count(from(`caller ${caller}`))
  assert.equal(await leftOf('caller 1'), '0')
  assert.equal(await leftOf('caller 0'), '1')
})

const sharing = (take: Allowances['take']) => {
  const clock = { instant: 0, now: () => clock.instant }
  const losses: unknown[] = []
  const rate = { count: 200, seconds: 60 }
  const limit = rateLimit({
    rate,
    clock,
    shared: { take },
    onUnreachable: (error) => losses.push(error),
    origin,
  })
  return { clock, losses, call: async () => limit.count(from('mary')) }
}

test('concurrent requests of a caller fetch a hundredth of its allowance at a time from the database', async () => {
  const taken: number[] = []
  const { call } = sharing(async (_, wanted) => {
    taken.push(wanted)
    return { granted: wanted, left: 100, endsAt: 60_000 }
  })
  await Promise.all([call(), call(), call(), call()])
  assert.deepEqual(taken, [2, 2])
})

test('while the database that shares the allowances is unreachable, a caller may send what the rate allows for one second, each second', async () => {
  const { clock, losses, call } = sharing(() => Promise.reject(new Error('gone')))
  for (clock.instant of [0, 1_000]) {
    for (let calls = 0; calls < 4; calls++) await call()
    await assert.rejects(call(), { kind: 'tooManyRequests', headers: { 'Retry-After': '1' } })
  }
  assert.deepEqual(losses.map(String), ['Error: gone', 'Error: gone'])
})
