import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { overloaded, Problem } from '#core/problem.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { type Gate, overload } from './overload.ts'

const start = async (t: TestContext) => {
  const guard = overload()
  t.after(guard.stop)
  await sleep(50)
  return guard
}

const request = (complete = true) => ({ startedAtMs: performance.now(), incoming: { complete } }) as Exchange

const work = (ms: number) => {
  const { user, system } = process.threadCpuUsage()
  const used = () => process.threadCpuUsage().user + process.threadCpuUsage().system - user - system
  while (used() < ms * 1000);
}

/** Lets requests enter and leave at once, so that none waits. */
const letThrough = (gate: Gate, requests: number) => {
  for (let count = 0; count < requests; count++) {
    gate.leave(gate.enter(request()))
  }
}

const refused = { kind: 'overloaded', headers: { 'Retry-After': '1' } }

test('after long work in a turn of the event loop, further requests of this turn are refused, those of the next turn are not', async (t) => {
  const gate = (await start(t)).gate()
  letThrough(gate, 200)
  work(150)
  assert.throws(() => gate.enter(request()), refused)
  await sleep(50)
  gate.enter(request())
})

test('no request is refused in a turn that was long only because the thread waited for the processor', async (t) => {
  const gate = (await start(t)).gate()
  letThrough(gate, 200)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
  gate.enter(request())
})

test('a hundred requests are let in even in a long turn of the event loop', async (t) => {
  const gate = (await start(t)).gate()
  work(150)
  for (let count = 0; count < 100; count++) gate.enter(request())
})

test('refusals per second are limited: beyond the limit, late requests are let in', async (t) => {
  const gate = (await start(t)).gate()
  letThrough(gate, 200)
  work(150)
  let refusals = 0
  for (let count = 0; count < 10_000; count++) {
    try {
      gate.leave(gate.enter(request()))
    } catch {
      refusals++
    }
  }
  assert.ok(refusals > 0 && refusals <= 1250, String(refusals))
})

test('a gate whose requests wait too long refuses further requests, while other gates let theirs in', async (t) => {
  const guard = await start(t)
  const [slow, quick] = [guard.gate(), guard.gate()]
  const inside = Array.from({ length: 100 }, () => slow.enter(request()))
  const comeAndGo = () => slow.leave(slow.enter(request()))
  comeAndGo()
  await sleep(1200)
  assert.throws(comeAndGo, refused)
  quick.enter(request())
  for (const waiting of inside) slow.leave(waiting)
  comeAndGo()
})

test('after an overload, a gate lets a request in only when another has left', async (t) => {
  const gate = (await start(t)).gate()
  const [first, , late] = [gate.enter(request()), gate.enter(request()), gate.enter(request())]
  gate.leave(late, overloaded())
  assert.throws(() => gate.enter(request()), refused)
  gate.leave(first)
  gate.enter(request())
  assert.throws(() => gate.enter(request()), refused)
})

test('a gate that refused requests after an overload lets them in again after a while', async (t) => {
  const gate = (await start(t)).gate()
  gate.leave(gate.enter(request()), overloaded())
  assert.throws(() => gate.enter(request()), refused)
  await sleep(60)
  gate.enter(request())
})

test('after an error other than overload, a gate still lets requests in', async (t) => {
  const gate = (await start(t)).gate()
  const waiting = gate.enter(request())
  gate.leave(waiting, new Problem('notFound'))
  gate.enter(request())
})

test('requests whose bodies are still arriving do not count as waiting', async (t) => {
  const gate = (await start(t)).gate()
  for (let count = 0; count < 100; count++) gate.enter(request(false))
  gate.enter(request())
  await sleep(1200)
  gate.enter(request())
  gate.enter(request())
})
