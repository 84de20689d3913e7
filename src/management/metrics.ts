import { setTimeout as sleep } from 'node:timers/promises'
import { memoizeSuccess } from '#core/once.ts'
import type { Tasks } from '#core/tasks.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import type { DeliveryMetrics } from '#resources/resource.ts'
import type { Observer, PoolName } from '#sql/engine.ts'
import { type Counts, openCounts } from './counts.ts'
import { openHistory } from './metrics-history.ts'

/** Values that are read only when Prometheus scrapes the metrics. */
export interface Gauges {
  readonly version: string
  readonly commit: string
  hashesWaiting(): number
  logLinesDropped(): number
  spansLost(): number
  logEnds(): Promise<LogEnds>
  readonly streams: { readonly count: number; readonly cutOffCount: number }
  readonly tasks: Pick<Tasks, 'states'>
  deliveries(): readonly DeliveryMetrics[]
  /** Undefined if the service has no certificate. */
  certificateEndMs(): number | undefined
}

/** The oldest change that is kept, and the newest change. */
export interface LogEnds {
  readonly first?: LogEnd | undefined
  readonly last?: LogEnd | undefined
}

interface LogEnd {
  readonly number: number
  readonly time: number
}

export type Metrics = ReturnType<typeof openMetrics>

export const openMetrics = (gauges: Gauges) => {
  const counts = openCounts()
  const opened = new DisposableStack()
  const loadExposition = memoizeSuccess(async () => {
    const { exposition } = await import('./exposition.ts')
    const loaded = exposition(counts, gauges)
    opened.defer(loaded.stop)
    return loaded
  })
  return {
    observer: storageObserver(counts),

    observe({ method, routePattern, principal }: Exchange, status: number, ms: number) {
      if (status === 429 && principal === undefined) counts.throttledLogins++
      counts.requests.observe({ method, route: routePattern, status, ms })
    },
    connectionRefused: () => void counts.refusedConnections++,
    descriptorsExhausted: () => void counts.exhaustedDescriptors++,

    /** The metrics in the Prometheus text format. The code that writes them is loaded at the first scrape. */
    async text() {
      // A database that does not answer must not delay a scrape.
      const ends = await Promise.race([gauges.logEnds().catch(() => ({})), sleep(logEndsTimeoutMs, {})])
      return (await loadExposition()).text(ends)
    },

    /** Starts to record the readings of the past hour. */
    openHistory() {
      const history = openHistory(counts)
      opened.defer(history.stop)
      return history
    },
    close: () => opened.dispose(),
  }
}

const logEndsTimeoutMs = 500

const storageObserver = (counts: Counts): Observer => ({
  groupCommitted: counts.committed,
  storageFailed(reason) {
    counts.storageErrors.set(reason, (counts.storageErrors.get(reason) ?? 0) + 1)
  },
  cacheRead(isHit) {
    if (isHit) counts.reads.memory++
    else counts.reads.database++
  },
  walOpened(bytes) {
    counts.sqliteWal.bytes = bytes
  },
  walRestarted: () => void counts.sqliteWal.restarts++,
  poolOpened(name, pool) {
    counts.pools.set(name, pool)
    for (const reason of knownReasons[name] ?? []) counts.storageErrors.set(reason, 0)
  },
})

/**
 * The reasons for storage failures: with `scans`, a pool of SQLite, and `sessions`, a pool of PostgreSQL. They are 0 from the start,
 * because Prometheus sees no increase in a series that has just appeared.
 */
const knownReasons: Partial<Record<PoolName, readonly string[]>> = {
  scans: ['busy', 'full', 'readOnly', 'moved', 'unopened', 'io', 'corrupt', 'notADatabase', 'memory'],
  sessions: [
    ...['connection', 'FORMER_PRIMARY', 'CONNECTION_CLOSED', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'],
    ...['28000', '28P01', '3D000', '3F000', '42501', '42P01', '55P03'],
    ...['25006', '53100', '53200', '53300', '57014', '57P01', '57P02', '57P03', '58030', 'XX001'],
  ],
}
