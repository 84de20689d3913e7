import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { openProxy, type Weather } from '../../test/proxy.ts'
import { check } from './checker.ts'
import { writeEnding } from './ending.ts'
import { startLoad } from './load.ts'
import { recorder } from './recorder.ts'
import { type Flaw, openToy } from './toy.ts'

const cutting: Weather = { is: 'cutting', share: 0.1 }

test('a correct service passes even if responses are cut off', async (t) => {
  const { findings, figures, void: reasons, cuts } = await observe(t, { flaw: 'none' }, cutting)
  assert.deepEqual({ findings, reasons }, { findings: [], reasons: [] })
  assert.ok(
    cuts > 0 && figures.unknown > 0 && figures.acknowledgedWrites > 100,
    JSON.stringify({ cuts, figures }),
  )
})

const flaws: readonly [Flaw, string][] = [
  ['loses records', 'lost'],
  ['ignores keys', 'doubled'],
  ['ignores versions', 'lost update'],
  ['serves stale reads', 'stale'],
  ['shares sign ids', 'sign id'],
  ['never frees sign ids', 'orphan'],
  ['performs a DELETE twice', 'lost'],
]

for (const [flaw, finds] of flaws)
  test(`a service that ${flaw} is detected: ${finds}`, async (t) => {
    const { findings } = await observe(t, { flaw }, cutting)
    const found = new Set(findings.map((finding) => finding.check))
    assert.ok(found.has(finds), `found ${[...found].join(', ') || 'nothing'}`)
  })

test('where a DELETE may be repeated, a 404 for it does not count as a loss', async (t) => {
  const { findings, figures } = await observe(
    t,
    { flaw: 'performs a DELETE twice', mayRepeat: true },
    cutting,
  )
  assert.deepEqual(findings, [])
  assert.ok(figures.unknown > 0)
})

test('a network that delays, drops and resets traffic leads to no findings', async (t) => {
  const { findings, figures } = await observe(
    t,
    { flaw: 'none' },
    { is: 'slow', delayMs: 20 },
    { is: 'blackhole' },
    { is: 'reset' },
  )
  assert.deepEqual(findings, [])
  assert.ok(figures.unknown > 0)
})

interface Observed {
  readonly flaw: Flaw
  readonly mayRepeat?: boolean
}

const disturbed = { ms: 500, events: 1_000 }
const fair = { ms: 1100, events: 5_000 }

/** Runs a load through each weather for a moment, then through a fair one. */
const observe = async (
  t: TestContext,
  { flaw, mayRepeat = false }: Observed,
  ...weathers: readonly Weather[]
) => {
  const toy = await openToy(flaw)
  t.after(() => toy.close())
  const proxy = await openProxy({ port: toy.port })
  t.after(() => proxy.close())
  const history = recorder()
  const load = startLoad({
    urls: [proxy.url, toy.url],
    recorder: history,
    memberProcesses: 2,
    timeoutMs: 400,
    mayRepeat,
  })
  for (const weather of weathers)
    await history.fault(weather.is, async () => {
      proxy.turn(weather)
      await history.goOn(disturbed)
    })
  proxy.turn({ is: 'fair' })
  await history.goOn(fair)
  await load.stop()
  await writeEnding({ url: toy.url, recorder: history })
  return { ...check(history.events), cuts: proxy.cuts }
}
