import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { freshDatabase, noPostgres } from '../postgres.ts'

const entry = new URL('../../src/index.ts', import.meta.url).href

/** A program that starts the service, uses its parts, closes it, and stays alive without work. */
const program = (settings: object) => `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { rollcall } from '${entry}'

  // Node opens these at their first use.
  const streams = [process.stdout, process.stderr]
  const left = () => ({
    resources: process.getActiveResourcesInfo(),
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  })
  const before = left()
  const service = await rollcall(${JSON.stringify(settings)})
  const headers = { authorization: 'Basic ' + btoa('root:swordfish'), connection: 'close' }
  const get = async (url) => {
    const answer = await fetch(url, { headers })
    await answer.text()
    return answer.status
  }
  const pages = ['/metrics', '/docs', '/health/ready', '/'].map((path) => service.managementUrl + path)
  const statuses = await Promise.all([service.url + '/api/v1/members', ...pages].map(get))
  await service.close()
  const turnsInASecond = async () => {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    await sleep(1_000)
    return performance.nodeTiming.uvMetricsInfo.loopCount - loopCount
  }
  // V8 wakes the loop for a while to finish its own work. Anything left behind by the service would wake it for ever.
  let turns = Infinity
  for (let second = 0; second < 10 && turns > 3; second++) turns = await turnsInASecond()
  streams[0].write(JSON.stringify({ statuses, turns, before, after: left() }))
`

const engines = [
  { name: 'SQLite', skip: false, fresh: async () => `sqlite:${join(freshFolder(), 'a.db')}` },
  { name: 'PostgreSQL', skip: await noPostgres(), fresh: freshDatabase },
] as const

for (const { name, skip, fresh } of engines)
  test(`${name}: a closed service leaves no timer in the program that embeds it`, { skip }, async (t) => {
    const settings = {
      DATABASE_URL: await fresh(t),
      MANAGEMENT_PORT: '0',
      ACCESS: 'basic',
      ADMIN_SIGN_ID: 'root',
      ADMIN_PASSWORD: 'swordfish',
    }
    const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', program(settings)], {
      encoding: 'utf8',
    })
    assert.equal(ended.status, 0, ended.stderr)
    const { statuses, turns, before, after } = JSON.parse(ended.stdout)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200])
    assert.deepEqual(after, before)
    assert.ok(turns <= 3, `${turns} turns of the event loop in a second`)
  })
