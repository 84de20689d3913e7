import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '#core/clock.ts'
import { openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { type Answer, type Api, quiet, request, startApp } from '../harness.ts'
import { noPostgres, serviceDatabase } from '../postgres.ts'
import { basic, enrol, startBasic, stoppedClock } from './callers.ts'

const skip = await noPostgres()

/** The statuses of requests sent one after another. */
const statusesOf = async (api: Api, requests: readonly (readonly [string, Record<string, string>])[]) => {
  const statuses: number[] = []
  for (const [line, headers] of requests) statuses.push((await api(line, undefined, headers)).status)
  return statuses
}

test('without RATE_LIMIT no answer has RateLimit fields', async (t) => {
  const api = await startApp(t)
  const { headers } = await api('GET /todos')
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('ratelimit')),
    [],
  )
})

test('RateLimit counts down to a 429, and the next window admits the caller again', async (t) => {
  const clock = stoppedClock()
  const api = await startApp(t, { RATE_LIMIT: '3/60s' }, { clock })
  for (const left of [2, 1, 0]) {
    const { status, headers } = await api('GET /todos')
    assert.equal(status, 200)
    assert.equal(headers['ratelimit-policy'], '"default";q=3;w=60')
    assert.equal(headers.ratelimit, `"default";r=${left};t=60`)
  }
  clock.pass(20_000)
  const refused = await api('GET /todos')
  assert.equal(refused.status, 429)
  assert.equal((refused.body as { code: string }).code, 'e.xx.fw.9005')
  assert.equal(refused.headers['retry-after'], '40')
  assert.equal(refused.headers.ratelimit, '"default";r=0;t=40')
  clock.pass(40_000)
  assert.equal((await api('GET /todos')).status, 200)
})

for (const engine of ['SQLite', 'PostgreSQL'])
  test(`${engine}: setting the clock back locks no caller out`, {
    skip: engine === 'PostgreSQL' && skip,
  }, async (t) => {
    const clock = stoppedClock()
    const database: Record<string, string> =
      engine === 'PostgreSQL' ? { DATABASE_URL: await serviceDatabase(t) } : {}
    const api = await startApp(t, { RATE_LIMIT: '1/60s', ...database }, { clock })
    assert.equal((await api('GET /todos')).status, 200)
    assert.equal((await api('GET /todos')).status, 429)
    clock.pass(-3_600_000)
    assert.equal((await api('GET /todos')).status, 200)
    assert.equal((await api('GET /todos')).headers['retry-after'], '60')
  })

test('requests refused with 403 count towards the limit', async (t) => {
  const api = await startBasic(t, { RATE_LIMIT: '4/60s' })
  const { headers } = await enrol(api, 'curious')
  const refused = Array.from({ length: 5 }, () => ['POST /members', headers] as const)
  assert.deepEqual(await statusesOf(api, refused), [403, 403, 403, 403, 429])
})

test('unknown paths, refused methods, wrong credentials and OPTIONS count towards the limit', async (t) => {
  const api = await startBasic(t, { RATE_LIMIT: '4/60s' })
  const lines = ['GET /cars', 'DELETE /todos', 'GET /todos', 'OPTIONS /todos', 'GET /openapi.json']
  const requests = lines.map((line) => [line, basic('nobody', 'wrong')] as const)
  assert.deepEqual(await statusesOf(api, requests), [404, 405, 401, 204, 429])
})

test('each member has its own allowance, even at a shared address', async (t) => {
  const api = await startBasic(t, { RATE_LIMIT: '5/60s' })
  const mary = await enrol(api, 'mary')
  const john = await enrol(api, 'john')
  const status = async (headers: Record<string, string>) =>
    (await api('GET /todos', undefined, headers)).status
  for (let request = 0; request < 5; request++) assert.equal(await status(mary.headers), 200)
  assert.equal(await status(mary.headers), 429)
  assert.equal(await status(john.headers), 200)
})

test('X-Forwarded-For gives a new allowance only from a trusted proxy and for another network', async (t) => {
  const forwarded = async (addresses: readonly string[], settings: Record<string, string>) => {
    const api = await startApp(t, { RATE_LIMIT: '2/60s', ...settings })
    return statusesOf(
      api,
      addresses.map((address) => ['GET /todos', { 'x-forwarded-for': address }] as const),
    )
  }
  const hosts = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
  const trusted = { ACCESS: 'open', TRUST_PROXY: '127.0.0.1' }
  assert.deepEqual(await forwarded(hosts, {}), [200, 200, 429, 429])
  assert.deepEqual(await forwarded(hosts, trusted), [200, 200, 200, 200])
  const network = ['2001:db8::1', '[2001:db8::3]:4711', '2001:DB8:0:0:1::4', '2001:db8:1::1']
  assert.deepEqual(await forwarded(network, trusted), [200, 200, 429, 200])
})

test('a trusted proxy in X-Forwarded-For is recognised by its address, whatever its port', async (t) => {
  const TRUST_PROXY = '127.0.0.1,10.0.0.2,2001:db8:a::/48'
  const api = await startApp(t, { ACCESS: 'open', RATE_LIMIT: '1/60s', TRUST_PROXY })
  const proxies = ['10.0.0.2', '10.0.0.2:4711', '10.0.0.2:4712', '[2001:db8:a::2]', '[2001:db8:a::2]:443']
  for (const [host, proxy] of proxies.entries()) {
    const headers = { 'x-forwarded-for': `192.0.2.${host}:80, ${proxy}` }
    assert.equal((await api('GET /todos', undefined, headers)).status, 200, proxy)
    assert.equal((await api('GET /todos', undefined, headers)).status, 429, proxy)
    assert.equal(api.log.at(-1)?.address, `192.0.2.${host}`)
  }
})

test('a lowered limit applies at once, even to a caller that has already used more', { skip }, async (t) => {
  const DATABASE_URL = await serviceDatabase(t)
  const statusesAt = async (RATE_LIMIT: string, requests: number) => {
    const api = await startApp(t, { DATABASE_URL, RATE_LIMIT })
    return statusesOf(api, Array(requests).fill(['GET /todos', {}]))
  }
  assert.deepEqual(await statusesAt('600/60s', 20), Array(20).fill(200))
  assert.deepEqual(await statusesAt('10/60s', 15), [...Array(10).fill(200), ...Array(5).fill(429)])
})

test('instances on one PostgreSQL database share one exact count', { skip }, async (t) => {
  const database = await serviceDatabase(t)
  const clock = stoppedClock()
  // So few that even a slow machine is not overloaded.
  const atOnce = 100
  const start = (clock: Clock) =>
    openApp(
      readConfig({ PORT: '0', MANAGEMENT_PORT: 'off', DATABASE_URL: database, RATE_LIMIT: '250/60s' }),
      { ...quiet, clock },
    )
  const apps = [await start(clock), await start({ now: () => clock.now() - 50 })]
  t.after(() => Promise.all(apps.map((app) => app.close())))
  const answers: Answer[] = []
  for (let portion = 0; portion < 400 / atOnce; portion++) {
    const ask = (_: unknown, index: number) => request(`${apps[index % 2]?.url}/api/v1`, 'GET /todos/none')
    answers.push(...(await Promise.all(Array.from({ length: atOnce }, ask))))
  }
  const count = Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, group]) => [status, group.length]),
  )
  assert.deepEqual(count, { 404: 250, 429: 150 })
})
