import type { Counts } from './counts.ts'
import { type Lag, loopLag } from './loop-lag.ts'
import type { Gauges, LogEnds } from './metrics.ts'
import { garbageCollections, processMetrics } from './process.ts'
import { counter, gauge, labels, type Metric, metricText, type Sample } from './prometheus.ts'

/** The metrics of the service and of the process, in the Prometheus text format. */
export const exposition = (counts: Counts, gauges: Gauges) => {
  const lag = loopLag()
  const collections = garbageCollections()
  let logEnds: LogEnds = {}
  const metrics: readonly Metric[] = [
    ...changeGauges(() => logEnds),
    ...countersOf(counts, gauges),
    ...gaugesOf(counts, gauges),
    ...lagGauges(lag.read),
    ...processMetrics(),
  ]
  return {
    text(ends: LogEnds) {
      logEnds = ends
      return [counts.histograms(), ...metrics.map(metricText), collections.text()].join('\n')
    },
    stop() {
      lag.stop()
      collections.stop()
    },
  }
}

const labelledSamples = <T>(
  label: string,
  values: Iterable<readonly [string, T]>,
  read: (value: T) => number = Number,
): readonly Sample[] => [...values].map(([name, value]) => [labels({ [label]: name }), read(value)])

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const inSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1_000)

const changeGauges = (ends: () => LogEnds): readonly Metric[] => [
  gauge('rollcall_changes_sequence', 'The number of the newest change.', () => ends().last?.number),
  gauge(
    'rollcall_changes_oldest_sequence',
    'The number of the oldest change that is kept.',
    () => ends().first?.number,
  ),
  gauge('rollcall_changes_oldest_timestamp_seconds', 'When the oldest change that is kept was made.', () =>
    inSeconds(ends().first?.time),
  ),
]

const countersOf = (counts: Counts, gauges: Gauges): readonly Metric[] => [
  counter(
    'rollcall_storage_errors_total',
    'Storage failures, by reason. One failed commit may refuse several requests.',
    () => labelledSamples('reason', counts.storageErrors),
  ),
  counter('rollcall_reads_total', 'Reads answered from memory and from the database.', () =>
    labelledSamples('from', Object.entries(counts.reads)),
  ),
  counter(
    'rollcall_logins_throttled_total',
    'Requests refused before a login, because too many logins had failed or an unknown caller exceeded RATE_LIMIT.',
    () => counts.throttledLogins,
  ),
  counter(
    'rollcall_connections_refused_total',
    'Connections closed immediately because there were too many.',
    () => counts.refusedConnections,
  ),
  counter(
    'rollcall_descriptors_exhausted_total',
    'Seconds in which no file descriptor was free: nobody could connect, and no file could be opened.',
    () => counts.exhaustedDescriptors,
  ),
  counter(
    'rollcall_sqlite_log_restarts_total',
    'Restarts of the SQLite WAL. At each restart, all requests wait for one sync.',
    () => counts.sqliteWal.restarts,
  ),
  counter(
    'rollcall_change_readers_cut_total',
    'Change streams that were closed because their reader read nothing.',
    () => gauges.streams.cutOffCount,
  ),
  counter('rollcall_task_failures_total', 'Failed runs of background tasks, such as sweeps.', () =>
    labelledSamples('task', gauges.tasks.states(), ({ failures }) => failures),
  ),
  counter(
    'rollcall_webhook_deliveries_total',
    'Requests to webhook receivers, by outcome. A 2xx response counts as delivered.',
    () =>
      labelledSamples('outcome', [
        ['delivered', sum(gauges.deliveries().map(({ delivered }) => delivered))],
        ['failed', sum(gauges.deliveries().map(({ failed }) => failed))],
      ]),
  ),
  counter(
    'rollcall_log_lines_dropped_total',
    'Log lines dropped because their destination did not accept them.',
    gauges.logLinesDropped,
  ),
  counter('rollcall_spans_lost_total', 'Spans of traces that the collector did not get.', gauges.spansLost),
]

const gaugesOf = (counts: Counts, gauges: Gauges): readonly Metric[] => {
  const { pools } = counts
  const { bytes } = counts.sqliteWal
  const program = { version: gauges.version, commit: gauges.commit, node: process.versions.node }
  return [
    gauge('rollcall_build_info', 'The version and commit of the service, and the version of Node.js.', () => [
      [labels(program), 1],
    ]),
    gauge('rollcall_pool_limit', 'The maximum number of connections or threads.', () =>
      labelledSamples('pool', pools, ({ limit }) => limit),
    ),
    gauge('rollcall_pool_in_use', 'Connections or threads in use.', () =>
      labelledSamples('pool', pools, (pool) => pool.taken()),
    ),
    gauge('rollcall_pool_waiting', 'Operations waiting for a connection or thread.', () =>
      labelledSamples('pool', pools, (pool) => pool.waiting()),
    ),
    ...(bytes ? [gauge('rollcall_sqlite_log_bytes', 'Size of the SQLite WAL.', bytes)] : []),
    gauge(
      'rollcall_webhook_lag_seconds',
      'The age of the oldest change not yet delivered to a webhook. Only on the instance that delivers.',
      () =>
        labelledSamples(
          'webhook',
          gauges.deliveries().flatMap(({ behindMs = [] }) => behindMs),
          (ms) => ms / 1_000,
        ),
    ),
    gauge(
      'rollcall_webhooks_halted',
      'Active webhooks that get nothing, because they are disabled or lapsed. Only on the instance that delivers.',
      () => gauges.deliveries().find(({ haltedCount }) => haltedCount !== undefined)?.haltedCount,
    ),
    gauge('rollcall_streams_open', 'Lists being streamed.', () => pools.get('streams')?.taken()),
    gauge('rollcall_change_streams_open', 'Streams of changes.', () => gauges.streams.count),
    gauge(
      'rollcall_password_hashes_waiting',
      'Password hashes waiting for their turn.',
      gauges.hashesWaiting,
    ),
    gauge('rollcall_tls_certificate_expiry_timestamp_seconds', 'When the TLS certificate expires.', () =>
      inSeconds(gauges.certificateEndMs()),
    ),
  ]
}

const lagGauges = (lag: () => Lag): readonly Metric[] =>
  Object.entries(lagStatistics).map(([statistic, nanoseconds]) =>
    gauge(
      `nodejs_eventloop_lag_${statistic}_seconds`,
      `The recent delay of the event loop: ${statistic}.`,
      () => (lag().count > 0 ? nanoseconds(lag()) / 1e9 : 0),
    ),
  )

const lagStatistics: Readonly<Record<string, (lag: Lag) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (lag) => lag.percentile(50),
  p90: (lag) => lag.percentile(90),
  p99: (lag) => lag.percentile(99),
}
