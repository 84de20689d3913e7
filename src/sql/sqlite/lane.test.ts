import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connection } from './connection.ts'
import { lane } from './lane.ts'
import { defaultLimits } from './limits.ts'

test('tasks between transactions run one at a time, in the requested order', async (t) => {
  const writer = connection(':memory:', { durable: false })
  t.after(() => writer.close())
  const nothing = () => undefined
  const commit = async () => undefined
  const parts = { beforeBegin: nothing, commit, committed: nothing, observer: {} }
  const { between } = lane({ writer, ...parts, limits: defaultLimits })
  const events: string[] = []
  const work = (name: string) => async () => {
    events.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    events.push(`${name} ends`)
  }
  await Promise.all([between(work('one')), between(work('other'))])
  assert.deepEqual(events, ['one begins', 'one ends', 'other begins', 'other ends'])
})
