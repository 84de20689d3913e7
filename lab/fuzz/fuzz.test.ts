import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { accesses } from './accesses.ts'
import { fuzz, summaryOf } from './fuzz.ts'
import { secret } from './materials.ts'

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const firstSession = Number(process.env.FUZZ_SESSION ?? 0)
const isSingle = process.env.FUZZ_SESSION !== undefined
/** A second for each way of access; `npm --prefix lab run fuzz` takes an hour. */
const minSessions = isSingle ? 1 : 8

for (const [name, open] of Object.entries(accesses)) {
  test(`${name}: hostile requests get proper answers, do not stop the service and put no secret in its log (FUZZ_SEED=${seed})`, {
    timeout: 120_000,
  }, async (t) => {
    const access = await open()
    t.after(access.close)
    const api = await startApp(t, access.settings)
    const report = await fuzz({
      port: Number(new URL(api.url).port),
      access,
      seed,
      firstSession,
      sessionsAtOnce: 4,
      isOver: ({ sessions }) => sessions >= minSessions,
    })
    t.diagnostic(summaryOf(report))
    assert.deepEqual(report.failures, [])
    assert.ok(report.requests >= minSessions * 55)
    assert.equal((await api('GET /todos')).status, name === 'open' ? 200 : 401)
    const log = api.log.map((line) => JSON.stringify(line)).join('\n')
    for (const one of [secret, ...access.secrets])
      assert.ok(!log.includes(one), 'no credential appears in the log')
  })
}
