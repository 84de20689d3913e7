import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../harness.ts'
import { fuzz, told } from './fuzz.ts'
import { secret } from './materials.ts'

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const firstSession = Number(process.env.FUZZ_SESSION ?? 0)
const sessions = process.env.FUZZ_SESSION === undefined ? 120 : 1

test(`whatever is sent, the service answers properly and lives (FUZZ_SEED=${seed})`, {
  timeout: 60_000,
}, async (t) => {
  const api = await startApp(t)
  const report = await fuzz({
    port: Number(new URL(api.url).port),
    seed,
    firstSession,
    sessionsAtOnce: 4,
    isOver: (done) => done.sessions >= sessions,
  })
  t.diagnostic(told(report))
  assert.deepEqual(report.failures, [])
  assert.ok(report.requests >= sessions * 55)
  assert.equal((await api('GET /todos')).status, 200)
  const lines = api.log.map((line) => JSON.stringify(line))
  assert.ok(!lines.some((line) => line.includes(secret)), 'no password is in the log')
})
