import { test } from 'node:test'
import { readerPauses } from './reader-pauses.ts'

test('a reader that reads fast earns no longer pause while others wait', { timeout: 10_000 }, async (t) => {
  const { promise: untilEnded, resolve: end } = Promise.withResolvers<void>()
  const limits = { streamMs: 60_000, pauseMs: 60_000, lagMs: 50, minRowsPerSecond: 200 }
  const pauses = readerPauses({ limits, isWaitedFor: () => true, end })
  pauses.begin()
  t.after(pauses.stop)
  pauses.finish(1_000_000)
  pauses.begin()
  await untilEnded
})
