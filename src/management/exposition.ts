import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { PoolLook } from '#sql/engine.ts'
import type { Counts } from './counts.ts'
import { type Lag, loopLag } from './loop-lag.ts'
import type { Gauges } from './metrics.ts'

/** What was counted and what is now, as Prometheus reads it, beside what Node tells of the process. */
export const exposition = (counts: Counts, gauges: Gauges) => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const lags = lagGauges()
  for (const { name } of lags) register.removeSingleMetric(name)
  register.registerMetric(buildInfo(gauges.version))
  for (const metric of countersOf(counts, gauges)) register.registerMetric(new Counter(collected(metric)))
  for (const metric of [...lags, ...gaugesOf(counts, gauges)])
    register.registerMetric(new Gauge(collected(metric)))
  return { text: async () => `${counts.histograms()}\n${await register.metrics()}` }
}

interface Metric {
  readonly name: string
  readonly help: string
  /** What tells its values apart, where it has more than one. */
  readonly label?: string
  /** Undefined where there is none to tell. */
  values(): number | undefined | Iterable<readonly [string, number]>
}

/** Looks at the values whenever somebody asks. */
const collected = ({ name, help, label, values }: Metric) => ({
  name,
  help,
  labelNames: label === undefined ? [] : [label],
  registers: [],
  collect(this: Counter | Gauge) {
    const now = values()
    this.reset()
    if (now === undefined) this.remove()
    else if (typeof now === 'number') this.inc(now)
    else for (const [of, value] of now) this.inc({ [String(label)]: of }, value)
  },
})

const buildInfo = (version: string) => {
  const name = 'rollcall_build_info'
  const help = 'The version of the service and of Node.js.'
  const gauge = new Gauge({ name, help, labelNames: ['version', 'node'], registers: [] })
  gauge.set({ version, node: process.versions.node }, 1)
  return gauge
}

const countersOf = (counts: Counts, gauges: Gauges): readonly Metric[] => [
  {
    name: 'rollcall_storage_errors_total',
    help: 'What the storage refused, by its reason.',
    label: 'reason',
    values: () => counts.storageErrors,
  },
  {
    name: 'rollcall_reads_total',
    help: 'Reads that were answered from memory, and from the database.',
    label: 'from',
    values: () => Object.entries(counts.reads),
  },
  {
    name: 'rollcall_logins_throttled_total',
    help: 'Requests that were refused before a login: too many had failed, or a stranger asked more often than RATE_LIMIT lets him.',
    values: () => counts.throttledLogins,
  },
  {
    name: 'rollcall_connections_refused_total',
    help: 'Connections that were closed at once, because there were too many.',
    values: () => counts.refusedConnections,
  },
  {
    name: 'rollcall_log_lines_dropped_total',
    help: 'Lines of the log that nobody took.',
    values: gauges.logLinesDropped,
  },
]

const gaugesOf = (counts: Counts, gauges: Gauges): readonly Metric[] => {
  const { bytes } = counts.sqliteLog
  return [
    {
      name: 'rollcall_pool_limit',
      help: 'Connections or threads that there may be at once.',
      ...ofPools(counts, ({ limit }) => limit),
    },
    {
      name: 'rollcall_pool_in_use',
      help: 'Connections or threads at work.',
      ...ofPools(counts, (pool) => pool.taken()),
    },
    {
      name: 'rollcall_pool_waiting',
      help: 'Those who wait for a connection or a thread.',
      ...ofPools(counts, (pool) => pool.waiting()),
    },
    ...(bytes
      ? [{ name: 'rollcall_sqlite_log_bytes', help: 'The size of the log of SQLite.', values: bytes }]
      : []),
    {
      name: 'rollcall_streams_open',
      help: 'Lists on their way.',
      values: () => counts.streamsOpen,
    },
    {
      name: 'rollcall_password_hashes_waiting',
      help: 'Password hashes that wait for their turn.',
      values: gauges.hashesWaiting,
    },
    {
      name: 'rollcall_tls_certificate_expiry_timestamp_seconds',
      help: 'Until when the certificate is valid.',
      values: () => {
        const endMs = gauges.certificateEndMs()
        return endMs === undefined ? undefined : endMs / 1_000
      },
    },
  ]
}

const ofPools = ({ pools }: Counts, look: (pool: PoolLook) => number) => ({
  label: 'pool',
  values: () => [...pools].map(([name, pool]) => [name, look(pool)] as const),
})

const lagGauges = (): readonly Metric[] => {
  const lag = loopLag()
  return Object.entries(lagsOf).map(([of, nanoseconds]) => ({
    name: `nodejs_eventloop_lag_${of}_seconds`,
    help: `The event loop's delay of late: ${of}.`,
    values: () => (lag().count > 0 ? nanoseconds(lag()) / 1e9 : 0),
  }))
}

/** They replace those of prom-client, which begin anew whenever anybody looks. */
const lagsOf: Readonly<Record<string, (lag: Lag) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (lag) => lag.percentile(50),
  p90: (lag) => lag.percentile(90),
  p99: (lag) => lag.percentile(99),
}
