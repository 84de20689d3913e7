import { type Clock, systemClock } from '#core/clock.ts'
import { type NewId, risingIds } from '#core/id.ts'
import { type PasswordHasher, passwordHasher } from '#core/password.ts'
import type { HashCosts } from '#core/password-hash.ts'
import type { Streams } from '#http/api/event-stream.ts'
import type { AnswerKeeper } from '#http/api/idempotency.ts'
import { answerKeeper } from '#ledger/answers.ts'
import { changeLog } from '#ledger/change-log.ts'
import { openChanges } from '#ledger/changes.ts'
import { knownSecret, secret } from '#ledger/secrets.ts'
import type { Sweepable } from '#ledger/sweep.ts'
import { resources } from '#resources/index.ts'
import type { OpenResource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import type { Config } from '#src/config.ts'
import type { Log } from '#src/log.ts'
import { type Metrics, openMetrics } from '#src/management/metrics.ts'
import { openTraces, type Traces } from '#src/management/traces.ts'
import { commit, version } from '#src/version.ts'
import { clockFault, openNamed } from './database.ts'
import { migrateAll, requireCurrent } from './migrations.ts'
import { openRefusedPasswords, type RefusedPasswords } from './refused-passwords.ts'
import { openReserved } from './reserved-sign-id.ts'

/** What everything else stands on: the rooms, their database, and what observes them. */
export interface Shared {
  readonly clock: Clock
  readonly refused: RefusedPasswords
  readonly passwords: PasswordHasher
  readonly metrics: Metrics
  readonly traces: Traces
  readonly db: Engine
  readonly rooms: readonly OpenResource[]
  readonly answers: AnswerKeeper & Sweepable
  readonly changes: ReturnType<typeof openChanges>
  readonly streams: Streams
  /** The secret of this name. */
  secrets(name: string): Promise<Buffer>
}

interface Outside {
  readonly clock: Clock | undefined
  readonly newId: NewId | undefined
  readonly hashCosts: HashCosts | undefined
  /** Opens the database read-only. */
  readonly untouched: boolean
  readonly streams: Streams
  readonly log: Log
  certificateEndMs(): number | undefined
}

/** Defers whatever must be closed on `opened`. */
export const openShared = async (
  config: Config,
  {
    clock = systemClock,
    newId = risingIds(clock),
    hashCosts,
    untouched,
    streams,
    log,
    certificateEndMs,
  }: Outside,
  opened: AsyncDisposableStack,
): Promise<Shared> => {
  const refused = await openRefusedPasswords(config)
  const passwords = passwordHasher({ costs: hashCosts })
  const traces = openTraces({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: config.OTEL_SERVICE_NAME,
    share: config.OTEL_TRACES_SAMPLER_ARG,
  })
  opened.defer(traces.close)
  const metrics = openMetrics({
    version,
    commit: commit(),
    hashesWaiting: () => passwords.waiting,
    logLinesDropped: log.dropped,
    spansLost: traces.lost,
    ends: () => changes.ends(),
    streams,
    certificateEndMs,
  })
  opened.defer(metrics.close)
  const { DATABASE_URL, DATABASE_POOL: connections } = config
  const engine = await openNamed(DATABASE_URL, { observe: metrics.observer, untouched, connections })
  opened.defer(engine.close)
  const db = traces.database(engine)
  await (untouched ? requireCurrent(db) : migrateAll(db))
  const fault = untouched ? undefined : await clockFault(db, clock)
  if (fault !== undefined) log.logger.warn(fault)
  const changes = openChanges({ db, clock, keepMs: config.CHANGES_KEEP })
  const given = {
    db,
    clock,
    newId,
    passwords,
    timeZone: config.TIME_ZONE,
    isRefused: refused.has,
    isReserved: await openReserved(config, db),
    announce: changeLog({ clock, newId: risingIds(clock) }),
  }
  return {
    clock,
    refused,
    passwords,
    metrics,
    traces,
    db,
    rooms: resources.map((resource) => resource.open(given)),
    answers: answerKeeper(db, clock),
    changes,
    streams,
    secrets: (name) => (untouched ? knownSecret : secret)(db, name),
  }
}
