import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService } from '#lab/service.ts'
import { search } from './searches.ts'

test('the service answers every search of the growth table', async (t) => {
  const service = await openService({ databaseUrl: 'sqlite::memory:' })
  t.after(() => service.end())
  const searches = await search(service.url, 4)
  assert.ok(searches.length > 10 && searches.every(({ p99Ms }) => p99Ms > 0))
})
