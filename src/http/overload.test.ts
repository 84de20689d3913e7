import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from './exchange.ts'
import { overload } from './overload.ts'

const start = async (t: TestContext) => {
  const guard = overload()
  t.after(guard.stop)
  await sleep(50)
  return guard
}

/** A request that came so long after now. */
const request = (afterMs = 0, complete = true) =>
  ({ startedAtMs: performance.now() + afterMs, incoming: { complete } }) as Exchange

const refused = { kind: 'overloaded', headers: { 'Retry-After': '1' } }

test('a request that comes late in a long turn of the event loop is refused', async (t) => {
  const gate = (await start(t)).gate()
  gate.enter(request())
  assert.throws(() => gate.enter(request(500)), refused)
})

test('no more are refused in a second than cost a tenth of it: the others wait as they did', async (t) => {
  const gate = (await start(t)).gate()
  let refusals = 0
  for (let count = 0; count < 10_000; count++) {
    try {
      gate.enter(request(500))
    } catch {
      refusals++
    }
  }
  assert.ok(refusals > 0 && refusals <= 1250, String(refusals))
})

test('one kind of work in which requests wait too long lets nobody else in, and other kinds go on', async (t) => {
  const guard = await start(t)
  const [slow, quick] = [guard.gate(), guard.gate()]
  const inside = Array.from({ length: 100 }, () => request())
  for (const exchange of inside) slow.enter(exchange)
  const comeAndGo = () => {
    const exchange = request()
    slow.enter(exchange)
    slow.leave(exchange)
  }
  comeAndGo()
  await sleep(1200)
  assert.throws(comeAndGo, refused)
  quick.enter(request())
  for (const exchange of inside) slow.leave(exchange)
  comeAndGo()
})

test('those whose bodies are slow to come do not count as waiting', async (t) => {
  const gate = (await start(t)).gate()
  for (let count = 0; count < 100; count++) gate.enter(request(0, false))
  gate.enter(request())
  await sleep(1200)
  gate.enter(request())
  gate.enter(request())
})
