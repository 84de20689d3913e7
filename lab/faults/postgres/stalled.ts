import { setTimeout as sleep } from 'node:timers/promises'
import { openService } from '#lab/service.ts'
import { openPair, type Pair } from '../../../test/postgres-pair.ts'
import type { Fault } from '../fault.ts'
import { complaintsAboutAnswers, type Probe, type ProbeAnswer, probe, until } from '../probe.ts'

/** More than the number of sessions. */
const writesAtOnce = 24
const boundMs = 5_000

/** The synchronous standby hangs: it neither confirms nor disconnects. */
export const stalled: Fault = {
  name: 'standby stands still',
  engine: 'postgres',
  promise:
    'Writes get 503 in bounded time, even if an operator cancels the wait, and never 201; reads go on; once the standby is back, so do writes.',
  async run({ directory, progress }) {
    const pair = await openPair({ directory, isSynchronous: true })
    const service = await openService({ databaseUrl: pair.url })
    const one = probe(service.url, 60_000)
    await one.write()
    const { cancelled, waited, reads } = await whileStandingStill(pair, async () => {
      const cancelled = await writeWhileCancelling(pair, one)
      progress(0.3)
      const waited = many(one.write, writesAtOnce)
      return { cancelled, reads: await many(one.read, writesAtOnce), waited: await waited }
    })
    progress(0.9)
    const healedMs = await until(one.write, 201, 30_000)
    const writes = [...cancelled, ...waited]
    const acknowledged = writes.filter(({ status }) => status === 201).length
    const slowestMs = Math.round(Math.max(...waited.map(({ ms }) => ms)))
    return {
      figure: `${writes.length} writes: ${acknowledged} acknowledged, 503 after ≤ ${slowestMs} ms, healed after ${healedMs} ms`,
      broken: [
        ...complaintsAboutAnswers(writes),
        ...reads.filter(({ status }) => status !== 200).map(({ status }) => `a read got ${status}`),
      ],
      slow: slowestMs > boundMs ? [`a write waited ${slowestMs} ms`] : [],
      figures: { acknowledged, slowestMs, healedMs },
    }
  },
}

/** Does the work while the standby neither confirms nor disconnects. */
export const whileStandingStill = async <T>({ standby }: Pair, work: () => Promise<T>) => {
  const receivers = standby.processes('walreceiver')
  for (const pid of receivers) process.kill(pid, 'SIGSTOP')
  return work().finally(() => {
    for (const pid of receivers) process.kill(pid, 'SIGCONT')
  })
}

/** An operator cancels the wait: PostgreSQL then reports success, with a warning. */
const writeWhileCancelling = async ({ primary }: Pair, one: Probe) => {
  let isWaiting = true
  const writing = many(one.write, writesAtOnce).finally(() => {
    isWaiting = false
  })
  while (isWaiting) {
    await sleep(300)
    await primary.ask("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
  }
  return writing
}

const many = (ask: () => Promise<ProbeAnswer>, count: number) =>
  Promise.all(Array.from({ length: count }, ask))
