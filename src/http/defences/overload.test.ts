import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { overloaded, Problem } from '#core/problem.ts'
import type { Exchange } from '#http/exchange.ts'
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

/** Answered at once, so that nothing waits. */
const letThrough = (gate: Gate, requests: number) => {
  for (let count = 0; count < requests; count++) {
    gate.leave(gate.enter(request()))
  }
}

const refused = { kind: 'overloaded', headers: { 'Retry-After': '1' } }

test('in a turn of the event loop that works long, those who come late are refused, and later ones are not', async (t) => {
  const gate = (await start(t)).gate()
  letThrough(gate, 200)
  work(150)
  assert.throws(() => gate.enter(request()), refused)
  await sleep(50)
  gate.enter(request())
})

test('a turn that took long because others had the processor refuses nobody', async (t) => {
  const gate = (await start(t)).gate()
  letThrough(gate, 200)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
  gate.enter(request())
})

test('few requests are let in however long their turn: they would wait no shorter elsewhere', async (t) => {
  const gate = (await start(t)).gate()
  work(150)
  for (let count = 0; count < 100; count++) gate.enter(request())
})

test('no more are refused than cost a tenth of the time: the others wait as they did', async (t) => {
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

test('one kind of work in which requests wait too long lets nobody else in, and other kinds go on', async (t) => {
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

test('work that had no place for one more is not asked for it: who comes takes the place of one who left', async (t) => {
  const gate = (await start(t)).gate()
  const [first, , late] = [gate.enter(request()), gate.enter(request()), gate.enter(request())]
  gate.leave(late, overloaded())
  assert.throws(() => gate.enter(request()), refused)
  gate.leave(first)
  gate.enter(request())
  assert.throws(() => gate.enter(request()), refused)
})

test('after a while it is asked again', async (t) => {
  const gate = (await start(t)).gate()
  gate.leave(gate.enter(request()), overloaded())
  assert.throws(() => gate.enter(request()), refused)
  await sleep(60)
  gate.enter(request())
})

test('what else goes wrong closes no gate', async (t) => {
  const gate = (await start(t)).gate()
  const waiting = gate.enter(request())
  gate.leave(waiting, new Problem('notFound'))
  gate.enter(request())
})

test('those whose bodies are slow to come do not count as waiting', async (t) => {
  const gate = (await start(t)).gate()
  for (let count = 0; count < 100; count++) gate.enter(request(false))
  gate.enter(request())
  await sleep(1200)
  gate.enter(request())
  gate.enter(request())
})
