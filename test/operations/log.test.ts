import assert from 'node:assert/strict'
import { closeSync, openSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { fetchPatiently, serve } from './child.ts'

test('a log that nobody reads blocks neither the API nor the shutdown', async (t) => {
  const environment = { DATABASE_URL: `sqlite:${join(freshFolder(), 'a.db')}` }
  const service = await serve(t, { environment, log: 'pipe' })
  await askMany(service.url, 1_000)
  service.kill('SIGTERM')
  assert.deepEqual(await service.exit, { code: 0, signal: null })
})

for (const sink of ['on a full disk', 'whose reader has gone'])
  test(`a log ${sink} does not stop the API, and dropped lines are counted`, async (t) => {
    const full = openSync('/dev/full', 'w')
    t.after(() => closeSync(full))
    const isFull = sink === 'on a full disk'
    const environment = { DATABASE_URL: `sqlite:${join(freshFolder(), 'a.db')}` }
    const service = await serve(t, { environment, log: isFull ? full : 'pipe' })
    if (!isFull) service.stopReading()
    await askMany(service.url, 500)
    const metrics = await (await fetch(`${service.management}/metrics`)).text()
    const dropped = Number(/^rollcall_log_lines_dropped_total (\d+)/m.exec(metrics)?.[1])
    assert.ok(dropped > 100, `${dropped} lines were dropped`)
  })

test('a storage failure is logged at most once a second, and each refused request has its own line', async (t) => {
  const path = join(freshFolder(), 'a.db')
  let ms = Date.now()
  const api = await startApp(t, { DATABASE_URL: `sqlite:${path}` }, { clock: { now: () => ms } })
  renameSync(path, `${path}.moved`)
  const write = () => api('POST /todos', { todoTitle: 'a' })
  while ((await write()).status !== 503) await sleep(50)
  const before = errors(api.log).length
  const tracks = []
  for (let count = 0; count < 10; count++) tracks.push((await write()).headers['x-track'])
  assert.equal(errors(api.log).length, before)
  ms += 1_000
  for (let count = 0; count < 10; count++) tracks.push((await write()).headers['x-track'])
  assert.equal(errors(api.log).length, before + 1)
  const refused = api.log.filter(({ status }) => status === 503).map(({ track }) => track)
  assert.deepEqual(
    tracks.filter((track) => !refused.includes(track)),
    [],
  )
})

const askMany = async (url: string, count: number) => {
  let left = count
  const ask = async () => {
    while (left-- > 0) {
      const answer = await fetchPatiently(`${url}/api/v1/todos?size=1`, {
        headers: { 'X-Track': 'x'.repeat(64) },
      })
      await answer.arrayBuffer()
      assert.equal(answer.status, 200)
    }
  }
  await Promise.all(Array.from({ length: 16 }, ask))
}

const errors = (log: readonly { readonly level?: unknown }[]) => log.filter(({ level }) => level === 'error')
