import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connection } from './connection.ts'
import { defaultLimits } from './limits.ts'
import { writeQueue } from './write-queue.ts'

test('tasks between transactions run one at a time, in the requested order', async (t) => {
  const writer = connection(':memory:', { durable: false })
  t.after(() => writer.close())
  const nothing = () => undefined
  const commit = async () => undefined
  const parts = { beforeBegin: nothing, commit, onCommitted: nothing, observer: {} }
  const { runBetweenTransactions } = writeQueue({ writer, ...parts, limits: defaultLimits })
  const events: string[] = []
  const work = (name: string) => async () => {
    events.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    events.push(`${name} ends`)
  }
  await Promise.all([runBetweenTransactions(work('one')), runBetweenTransactions(work('other'))])
  assert.deepEqual(events, ['one begins', 'one ends', 'other begins', 'other ends'])
})
