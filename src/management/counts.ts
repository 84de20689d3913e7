import type { PoolName, PoolState } from '#sql/engine.ts'
import { distribution, histogramText } from './prometheus.ts'
import { requestHistogram } from './requests.ts'

export type Counts = ReturnType<typeof openCounts>

/** The counts kept while requests are answered: plain numbers, so that counting costs almost nothing. */
export const openCounts = () => {
  const requests = requestHistogram()
  const sizes = distribution([1, 2, 4, 8, 16, 32, 64, 128])
  const seconds = distribution([0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2])
  const sqliteLog: { bytes?: () => number; restarts: number } = { restarts: 0 }
  return {
    throttledLogins: 0,
    refusedConnections: 0,
    exhaustedDescriptors: 0,
    reads: { memory: 0, database: 0 },
    storageErrors: new Map<string, number>(),
    pools: new Map<PoolName, PoolState>(),
    sqliteLog,
    requests,

    committed(writes: number, ms: number) {
      sizes.observe(writes)
      seconds.observe(ms / 1000)
    },

    totals: () => ({
      ...requests.totals(),
      commits: sizes.atMost().at(-1) ?? 0,
      committedWrites: sizes.sum(),
    }),

    histograms: (): string =>
      [
        requests.text(),
        histogramText(sizeMetric, 'Writes that one commit made durable.', sizes.lines(sizeMetric)),
        histogramText(secondMetric, 'Duration of commits.', seconds.lines(secondMetric)),
      ].join('\n'),
  }
}

const sizeMetric = 'rollcall_commit_writes'
const secondMetric = 'rollcall_commit_duration_seconds'
