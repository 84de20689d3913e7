import assert from 'node:assert/strict'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { openService } from '#lab/service.ts'
import { freshFolder } from '../../test/fresh-folder.ts'
import { openProxy, type Weather } from '../../test/proxy.ts'
import { check } from './checker.ts'
import { absent } from './event.ts'
import { writeEnding } from './final-read.ts'
import { startLoad } from './load.ts'
import { endOfRemoval, type ProcessContext } from './ops.ts'
import { recorder } from './recorder.ts'

const cutting: Weather = { is: 'cutting', share: 0.1 }

test('a history of the service passes the check even if answers are cut off', async (t) => {
  const { findings, figures, cuts } = await observe(t)
  assert.deepEqual(findings, [])
  assert.ok(
    cuts > 0 && figures.unknown > 0 && figures.acknowledgedWrites > 100,
    JSON.stringify({ cuts, figures }),
  )
})

test('if the client may have repeated a DELETE, a 404 does not show whether the DELETE took effect', () => {
  const missed = { type: 'fail', error: absent } as const
  assert.equal(endOfRemoval({ mayRepeat: true } as ProcessContext, missed).type, 'info')
  assert.equal(endOfRemoval({ mayRepeat: false } as ProcessContext, missed).type, 'fail')
})

const disturbed = { ms: 500, events: 1_000 }
const fair = { ms: 500, events: 2_000 }

/** Runs a load, during which answers are cut off for a moment. */
const observe = async (t: TestContext) => {
  const databaseUrl = `sqlite:${join(freshFolder(), 'rollcall.db')}`
  const service = await openService({ databaseUrl })
  t.after(() => service.end())
  const proxy = await openProxy({ port: service.port })
  t.after(() => proxy.close())
  const history = recorder()
  const load = startLoad({
    urls: [proxy.url, service.url],
    recorder: history,
    memberProcesses: 2,
    timeoutMs: 1_000,
  })
  await history.fault(cutting.is, async () => {
    proxy.turn(cutting)
    await history.goOn(disturbed)
  })
  proxy.turn({ is: 'fair' })
  await history.goOn(fair)
  await load.stop()
  await writeEnding({ url: service.url, recorder: history })
  return { ...check(history.events), cuts: proxy.cuts }
}
