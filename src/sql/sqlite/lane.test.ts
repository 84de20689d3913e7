import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connection } from './connection.ts'
import { lane } from './lane.ts'
import { defaultLimits } from './limits.ts'

test('works between transactions are done one after another, however many ask at once', async (t) => {
  const writer = connection(':memory:', { durable: false })
  t.after(() => writer.close())
  const nothing = () => undefined
  const parts = { beforeBegin: nothing, beforeCommit: nothing, committed: nothing, observer: {} }
  const { between } = lane({ writer, ...parts, limits: defaultLimits })
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(`${name} ends`)
  }
  await Promise.all([between(work('one')), between(work('other'))])
  assert.deepEqual(seen, ['one begins', 'one ends', 'other begins', 'other ends'])
})
