import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'

test('a storage that refuses every write is logged once a second, and each request that it refused has its line', async (t) => {
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

const errors = (log: readonly { readonly level?: unknown }[]) => log.filter(({ level }) => level === 'error')
