import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { once } from '#core/once.ts'
import type { PoolState } from '#sql/engine.ts'
import type { Counts } from './counts.ts'
import { type Lag, loopLag } from './loop-lag.ts'
import type { Gauges } from './metrics.ts'

/** Counts and current values in the Prometheus text format, together with Node's own metrics of the process. */
export const exposition = (counts: Counts, gauges: Gauges) => {
  const register = new Registry()
  const lag = loopLag()
  register.registerMetric(buildInfo(gauges.version))
  for (const metric of countersOf(counts, gauges)) register.registerMetric(new Counter(collected(metric)))
  for (const metric of [...lagGauges(lag.read), ...gaugesOf(counts, gauges)])
    register.registerMetric(new Gauge(collected(metric)))
  return {
    text: async () => [counts.histograms(), await register.metrics(), await ofProcess().metrics()].join('\n'),
    stop: lag.stop,
  }
}

/** Node's own metrics. What observes the process for them cannot be stopped, so all services in it share it. */
const ofProcess = once(() => {
  const register = new Registry()
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: neverMs })
  for (const statistic of Object.keys(lagStatistics)) register.removeSingleMetric(lagName(statistic))
  return register
})

/** The gauges of the event loop are ours, so prom-client's monitor need not wake the process for samples. */
const neverMs = 2 ** 31 - 1

interface Metric {
  readonly name: string
  readonly help: string
  /** The label that distinguishes the values, if there are several. */
  readonly label?: string
  /** Undefined if there is no value to report. */
  values(): number | undefined | Iterable<readonly [string, number]>
}

/** Reads the values at each scrape. */
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
    else for (const [labelValue, value] of now) this.inc({ [String(label)]: labelValue }, value)
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
    help: 'Failures of the storage, by reason. One of a commit may refuse several requests.',
    label: 'reason',
    values: () => counts.storageErrors,
  },
  {
    name: 'rollcall_reads_total',
    help: 'Reads answered from memory and from the database.',
    label: 'from',
    values: () => Object.entries(counts.reads),
  },
  {
    name: 'rollcall_logins_throttled_total',
    help: 'Requests refused before a login, because too many logins had failed or an unknown caller exceeded RATE_LIMIT.',
    values: () => counts.throttledLogins,
  },
  {
    name: 'rollcall_connections_refused_total',
    help: 'Connections closed at once because there were too many.',
    values: () => counts.refusedConnections,
  },
  {
    name: 'rollcall_sqlite_log_restarts_total',
    help: 'Restarts of the SQLite WAL; at each, everybody waits for one sync.',
    values: () => counts.sqliteLog.restarts,
  },
  {
    name: 'rollcall_log_lines_dropped_total',
    help: 'Log lines dropped because their destination did not accept them.',
    values: gauges.logLinesDropped,
  },
]

const gaugesOf = (counts: Counts, gauges: Gauges): readonly Metric[] => {
  const { bytes } = counts.sqliteLog
  return [
    {
      name: 'rollcall_pool_limit',
      help: 'The maximum number of connections or threads.',
      ...perPool(counts, ({ limit }) => limit),
    },
    {
      name: 'rollcall_pool_in_use',
      help: 'Connections or threads in use.',
      ...perPool(counts, (pool) => pool.taken()),
    },
    {
      name: 'rollcall_pool_waiting',
      help: 'Operations waiting for a connection or thread.',
      ...perPool(counts, (pool) => pool.waiting()),
    },
    ...(bytes ? [{ name: 'rollcall_sqlite_log_bytes', help: 'Size of the SQLite WAL.', values: bytes }] : []),
    {
      name: 'rollcall_streams_open',
      help: 'Lists being streamed.',
      values: () => counts.streamsOpen,
    },
    {
      name: 'rollcall_password_hashes_waiting',
      help: 'Password hashes waiting for their turn.',
      values: gauges.hashesWaiting,
    },
    {
      name: 'rollcall_tls_certificate_expiry_timestamp_seconds',
      help: 'When the TLS certificate expires.',
      values: () => {
        const endMs = gauges.certificateEndMs()
        return endMs === undefined ? undefined : endMs / 1_000
      },
    },
  ]
}

const perPool = ({ pools }: Counts, read: (pool: PoolState) => number) => ({
  label: 'pool',
  values: () => [...pools].map(([name, pool]) => [name, read(pool)] as const),
})

const lagGauges = (lag: () => Lag): readonly Metric[] =>
  Object.entries(lagStatistics).map(([statistic, nanoseconds]) => ({
    name: lagName(statistic),
    help: `The recent delay of the event loop: ${statistic}.`,
    values: () => (lag().count > 0 ? nanoseconds(lag()) / 1e9 : 0),
  }))

const lagName = (statistic: string) => `nodejs_eventloop_lag_${statistic}_seconds`

/** These replace the gauges of prom-client, which reset at every scrape. */
const lagStatistics: Readonly<Record<string, (lag: Lag) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (lag) => lag.percentile(50),
  p90: (lag) => lag.percentile(90),
  p99: (lag) => lag.percentile(99),
}
