import type { PoolState } from '#sql/engine.ts'
import type { Counts } from './counts.ts'
import { type Lag, loopLag } from './loop-lag.ts'
import type { Ends, Gauges } from './metrics.ts'
import { garbageCollections, processMetrics } from './process.ts'
import { labels, type Metric, metricText, type Sample } from './prometheus.ts'

/** Counts and current values in the Prometheus text format, together with those of the process. */
export const exposition = (counts: Counts, gauges: Gauges) => {
  const lag = loopLag()
  const collections = garbageCollections()
  let ends: Ends = {}
  const metrics: readonly Metric[] = [
    ...changeGauges(() => ends),
    ...countersOf(counts, gauges).map((metric) => ({ ...metric, type: 'counter' as const })),
    ...gaugesOf(counts, gauges).map((metric) => ({ ...metric, type: 'gauge' as const })),
    ...lagGauges(lag.read),
    ...processMetrics(),
  ]
  return {
    text(now: Ends) {
      ends = now
      return [counts.histograms(), ...metrics.map(metricText), collections.text()].join('\n')
    },
    stop() {
      lag.stop()
      collections.stop()
    },
  }
}

type Untyped = Omit<Metric, 'type'>

const by = (label: string, values: Iterable<readonly [string, number]>): readonly Sample[] =>
  [...values].map(([name, value]) => [labels({ [label]: name }), value])

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const changeGauges = (ends: () => Ends): readonly Metric[] => [
  {
    name: 'rollcall_changes_sequence',
    type: 'gauge',
    help: 'The number of the newest change.',
    values: () => ends().last?.number,
  },
  {
    name: 'rollcall_changes_oldest_sequence',
    type: 'gauge',
    help: 'The number of the oldest change that is kept.',
    values: () => ends().first?.number,
  },
  {
    name: 'rollcall_changes_oldest_timestamp_seconds',
    type: 'gauge',
    help: 'When the oldest change that is kept was made.',
    values: () => {
      const time = ends().first?.time
      return time === undefined ? undefined : time / 1_000
    },
  },
]

const countersOf = (counts: Counts, gauges: Gauges): readonly Untyped[] => [
  {
    name: 'rollcall_storage_errors_total',
    help: 'Failures of the storage, by reason. One of a commit may refuse several requests.',
    values: () => by('reason', counts.storageErrors),
  },
  {
    name: 'rollcall_reads_total',
    help: 'Reads answered from memory and from the database.',
    values: () => by('from', Object.entries(counts.reads)),
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
    name: 'rollcall_descriptors_exhausted_total',
    help: 'Seconds in which no file descriptor was free: nobody could connect, and no file could be opened.',
    values: () => counts.exhaustedDescriptors,
  },
  {
    name: 'rollcall_sqlite_log_restarts_total',
    help: 'Restarts of the SQLite WAL; at each, everybody waits for one sync.',
    values: () => counts.sqliteLog.restarts,
  },
  {
    name: 'rollcall_change_readers_cut_total',
    help: 'Streams of changes that were ended because their reader took nothing.',
    values: () => gauges.streams.cut,
  },
  {
    name: 'rollcall_webhook_deliveries_total',
    help: 'Requests to the receivers of webhooks, by whether they were answered with 2xx.',
    values: () =>
      by('outcome', [
        ['delivered', sum(gauges.deliveries().map(({ delivered }) => delivered))],
        ['failed', sum(gauges.deliveries().map(({ failed }) => failed))],
      ]),
  },
  {
    name: 'rollcall_log_lines_dropped_total',
    help: 'Log lines dropped because their destination did not accept them.',
    values: gauges.logLinesDropped,
  },
  {
    name: 'rollcall_spans_lost_total',
    help: 'Spans of traces that the collector did not get.',
    values: gauges.spansLost,
  },
]

const gaugesOf = (counts: Counts, gauges: Gauges): readonly Untyped[] => {
  const { bytes } = counts.sqliteLog
  return [
    {
      name: 'rollcall_build_info',
      help: 'The version and commit of the service, and the version of Node.js.',
      values: () => {
        const { version, commit } = gauges
        return [[labels({ version, commit, node: process.versions.node }), 1]]
      },
    },
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
      name: 'rollcall_webhook_lag_seconds',
      help: 'How old the oldest change is that a webhook is still to get. Only where this instance delivers.',
      values: () =>
        by(
          'webhook',
          gauges
            .deliveries()
            .flatMap(({ behindMs = [] }) => behindMs.map(([id, ms]) => [id, ms / 1_000] as const)),
        ),
    },
    {
      name: 'rollcall_webhooks_halted',
      help: 'Active webhooks that get nothing, because they are disabled or lapsed. Only where this instance delivers.',
      values: () => gauges.deliveries().find(({ halted }) => halted !== undefined)?.halted,
    },
    {
      name: 'rollcall_streams_open',
      help: 'Lists being streamed.',
      values: () => counts.streamsOpen,
    },
    {
      name: 'rollcall_change_streams_open',
      help: 'Streams of changes.',
      values: () => gauges.streams.open,
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
  values: () =>
    by(
      'pool',
      [...pools].map(([name, pool]) => [name, read(pool)] as const),
    ),
})

const lagGauges = (lag: () => Lag): readonly Metric[] =>
  Object.entries(lagStatistics).map(([statistic, nanoseconds]) => ({
    name: `nodejs_eventloop_lag_${statistic}_seconds`,
    type: 'gauge',
    help: `The recent delay of the event loop: ${statistic}.`,
    values: () => (lag().count > 0 ? nanoseconds(lag()) / 1e9 : 0),
  }))

const lagStatistics: Readonly<Record<string, (lag: Lag) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (lag) => lag.percentile(50),
  p90: (lag) => lag.percentile(90),
  p99: (lag) => lag.percentile(99),
}
