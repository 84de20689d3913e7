import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { PoolLook } from '#sql/engine.ts'
import type { Counts } from './counts.ts'
import { type Lag, loopLag } from './loop-lag.ts'
import type { Gauges } from './metrics.ts'

interface Labelled {
  readonly name: string
  readonly help: string
  readonly label: string
}

/** What was counted and what is now, as Prometheus reads it, beside what Node tells of the process. */
export const exposition = (counts: Counts, gauges: Gauges) => {
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })

  const counter = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(value())
      },
    })
  const counters = ({ name, help, label }: Labelled, values: () => Iterable<[string, number]>) =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const [of, value] of values()) this.inc({ [label]: of }, value)
      },
    })
  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const now = value()
        if (now === undefined) this.remove()
        else this.set(now)
      },
    })

  const pools = (name: string, help: string, value: (pool: PoolLook) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, look] of counts.pools) this.set({ pool }, value(look))
      },
    })

  new Gauge({
    name: 'rollcall_build_info',
    help: 'What runs.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: gauges.version, node: process.versions.node }, 1)
  const storageErrors = { help: 'What the storage refused, by its reason.', label: 'reason' }
  counters({ name: 'rollcall_storage_errors_total', ...storageErrors }, () => counts.storageErrors.entries())
  const reads = { help: 'Reads that were answered from memory, and from the database.', label: 'from' }
  counters({ name: 'rollcall_reads_total', ...reads }, () => Object.entries(counts.reads))
  counter(
    'rollcall_logins_throttled_total',
    'Requests that were refused before a login: too many had failed, or a stranger asked more often than RATE_LIMIT lets him.',
    () => counts.throttledLogins,
  )
  counter(
    'rollcall_connections_refused_total',
    'Connections that were closed at once, because there were too many.',
    () => counts.refusedConnections,
  )
  counter('rollcall_log_lines_dropped_total', 'Lines of the log that nobody took.', gauges.logLinesDropped)
  gauge('rollcall_tls_certificate_expiry_timestamp_seconds', 'Until when the certificate is valid.', () => {
    const endMs = gauges.certificateEndMs()
    return endMs === undefined ? undefined : endMs / 1_000
  })
  const lag = loopLag()
  for (const [of, nanoseconds] of Object.entries(lagsOf)) {
    const name = `nodejs_eventloop_lag_${of}_seconds`
    register.removeSingleMetric(name)
    gauge(name, `The event loop's delay of late: ${of}.`, () =>
      lag().count > 0 ? nanoseconds(lag()) / 1e9 : 0,
    )
  }
  pools('rollcall_pool_limit', 'Connections or threads that there may be at once.', ({ limit }) => limit)
  pools('rollcall_pool_in_use', 'Connections or threads at work.', (pool) => pool.taken())
  pools('rollcall_pool_waiting', 'Those who wait for a connection or a thread.', (pool) => pool.waiting())
  const { bytes } = counts.sqliteLog
  if (bytes) gauge('rollcall_sqlite_log_bytes', 'The size of the log of SQLite.', bytes)
  gauge('rollcall_streams_open', 'Lists on their way.', () => counts.streamsOpen)
  gauge('rollcall_password_hashes_waiting', 'Password hashes that wait for their turn.', gauges.hashesWaiting)

  return { text: async () => `${counts.histograms()}\n${await register.metrics()}` }
}

/** In the place of those of prom-client, which begin anew whenever anybody looks. */
const lagsOf: Readonly<Record<string, (lag: Lag) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (lag) => lag.percentile(50),
  p90: (lag) => lag.percentile(90),
  p99: (lag) => lag.percentile(99),
}
