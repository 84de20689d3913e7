import { connection } from '#console/app/state/connection.ts'
import { keepFresh } from '#console/app/state/live.ts'
import type { ReadOptions } from './call.ts'
import { metricsHistoryPath, probe } from './fetch.ts'

export const counters = [
  'reads',
  'writes',
  'clientErrors',
  'serverErrors',
  'commits',
  'committedWrites',
] as const

export type Counts = Readonly<Record<(typeof counters)[number], number>>

/** The counters at one time, and the delay of the event loop since the reading before. */
export interface Reading extends Counts {
  readonly atMs: number
  /** For each bound, the number of requests that took at most that long; last, the number of all requests. */
  readonly durations: readonly number[]
  readonly lagMeanMs: number | null
  readonly lagMaxMs: number | null
}

/** The readings of the past hour; the last one is the present one. */
export interface MetricsHistory {
  readonly secondBounds: readonly number[]
  readonly readings: readonly Reading[]
}

/** Reads the past hour. Undefined if the port of this page does not serve metrics. */
export const readMetricsHistory = async (options: ReadOptions): Promise<MetricsHistory | undefined> => {
  const response = await probe(metricsHistoryPath, options)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${metricsHistoryPath}: ${response.status}`)
  return (await response.json()) as MetricsHistory
}

const pollMs = 5_000

/** While the service cannot be reached, checks every few seconds whether it is back, and at once when the browser is online again. */
export const watchRecovery = () => {
  let checking: ReturnType<typeof keepFresh> | undefined
  connection.watch(() => {
    checking?.end()
    checking = connection.get().state === 'up' ? undefined : keepFresh(check, { pollMs })
  })
}

const check = async () => {
  await probe('/health/ready')
  return true
}
