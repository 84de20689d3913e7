import { createHmac } from 'node:crypto'
import { throttle } from '#access/throttle.ts'
import { rootCauseOf } from '#core/cause.ts'
import { systemClock } from '#core/clock.ts'
import { messagesOf } from '#core/error-table.ts'
import { increasingIds } from '#core/id.ts'
import { once } from '#core/once.ts'
import { passwordHasher } from '#core/password.ts'
import type { Tasks } from '#core/tasks.ts'
import type { Change } from '#http/api/change.ts'
import { changeSchema, cloudEvent } from '#http/api/cloud-event.ts'
import { cursors } from '#http/api/cursor.ts'
import type { Streams } from '#http/api/event-stream.ts'
import type { Route } from '#http/api/routes.ts'
import { writer } from '#http/message/representation/writer.ts'
import { oncePerSecond } from '#http/wire/log.ts'
import { answerStore } from '#ledger/answers.ts'
import { logEntryMaker } from '#ledger/change-log.ts'
import { openChanges } from '#ledger/change-reader.ts'
import { failureStore } from '#ledger/failures.ts'
import { sharedSecret, storedOrTemporarySecret } from '#ledger/secrets.ts'
import { allRoutes, type RouteSources } from '#resources/all-routes.ts'
import { changeTypesOf, rightsToRead } from '#resources/changes.ts'
import { errorsOf, policyOf } from '#resources/combined.ts'
import { openImports } from '#resources/import/index.ts'
import { referencesAmong } from '#resources/machine/references.ts'
import type { DeliveryLimits, OpenedResource, Resource } from '#resources/resource.ts'
import { consoleUrl } from '#src/app/listening.ts'
import type { Dependencies } from '#src/app.ts'
import type { Config } from '#src/config.ts'
import type { Log } from '#src/log.ts'
import { openMetrics } from '#src/management/metrics.ts'
import { openTraces } from '#src/management/traces.ts'
import { commit, version } from '#src/version.ts'
import { clockFault, openConfiguredDatabase } from './database.ts'
import { migrateAll, migrationReport, requireCurrentTables } from './migrations.ts'
import { openRefusedPasswords } from './refused-passwords.ts'
import { openReservedSignId } from './reserved-sign-id.ts'

export type Shared = Awaited<ReturnType<typeof openShared>>

interface SharedParts
  extends Pick<Dependencies, 'clock' | 'newId' | 'hashCosts' | 'readOnly' | 'deliveryLimits'> {
  readonly streams: Streams
  readonly log: Log
  readonly tasks: Tasks
  uptimeMs(): number
  readonly resources: readonly Resource[]
  readonly prefix: string
  certificateEndMs(): number | undefined
}

/** Opens the database, its metrics and traces, and the resources. Everything that must be closed is added to `opened`. */
export const openShared = async (
  config: Config,
  {
    clock = systemClock,
    newId = increasingIds(clock),
    hashCosts,
    readOnly = false,
    streams,
    log,
    tasks,
    uptimeMs,
    resources,
    prefix,
    deliveryLimits,
    certificateEndMs,
  }: SharedParts,
  opened: AsyncDisposableStack,
) => {
  const refusedPasswords = await openRefusedPasswords(config)
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
    logEnds: () => changes.firstAndLast(),
    streams,
    tasks,
    deliveries: () => openedResources.flatMap((one) => one.deliveries?.metrics() ?? []),
    certificateEndMs,
  })
  opened.defer(metrics.close)
  const { DATABASE_URL, DATABASE_POOL: connections } = config
  const observe = { ...metrics.observer, taskEnded: tasks.ended }
  const engine = await openConfiguredDatabase(DATABASE_URL, { observe, readOnly, connections })
  opened.defer(engine.close)
  const db = traces.database(engine)
  await (readOnly
    ? requireCurrentTables(db, resources, config.DATABASE_URL)
    : migrateAll(db, resources, migrationReport(log)))
  const clockProblem = readOnly ? undefined : await clockFault(db, clock)
  if (clockProblem !== undefined) log.logger.warn(clockProblem)
  const changes = openChanges({ db, keepMs: config.CHANGES_KEEP, uptimeMs })
  const secrets = (name: string) => (readOnly ? storedOrTemporarySecret : sharedSecret)(db, name)
  const makeLogEntry = logEntryMaker({ clock, newId: increasingIds(clock) })
  const shouldLog = oncePerSecond(clock)
  const warn = (err: unknown) => {
    if (shouldLog(rootCauseOf(err))) log.logger.warn({ err }, 'access')
  }
  const failures = failureStore(db)
  const throttleSecret = await secrets('throttle')
  const loginThrottle = throttle({ store: failures, clock, secret: throttleSecret, onWriteFailure: warn })
  const tokenSecret = await secrets('token')
  const context = {
    db,
    clock,
    newId,
    passwords,
    timeZone: config.TIME_ZONE,
    isRefusedPassword: refusedPasswords.has,
    isReservedSignId: await openReservedSignId(config, db),
    prove: loginThrottle.runForPrincipal,
    digest: (text: string) => createHmac('sha256', tokenSecret).update(text).digest('base64url'),
    makeLogEntry,
    consoleUrl: consoleUrl(config),
    references: referencesAmong(resources, makeLogEntry),
    policy: policyOf(resources),
    changes,
    cursors: cursors(await secrets('cursor')),
    delivery: {
      ...defaultLimits,
      ...deliveryLimits,
      privateHosts: config.WEBHOOK_HOSTS,
      userAgent: `rollcall/${version}`,
      changeTypes: changeTypesOf(resources),
      rightsToRead: rightsToRead(resources),
      bodyOf: eventWriter({ prefix, changes, timeZone: config.TIME_ZONE }, () => ({
        resources,
        openedResources,
        imports,
        views: { db, newId },
      })),
      reportFailedDelivery: (delivery: object) => log.logger.warn(delivery, 'webhook'),
      reportHealth: (error?: unknown) => tasks.ended('webhooks', error),
    },
  }
  const openedResources: readonly OpenedResource[] = resources.map((resource) => resource.open(context))
  const imports = openImports({
    ...context,
    resources,
    openedResources,
    locale: config.LOCALE,
    messages: messagesOf(errorsOf(resources)),
    leaseMs: context.delivery.leaseMs,
    key: await secrets('import'),
  })
  return {
    clock,
    refusedPasswords,
    passwords,
    metrics,
    traces,
    db,
    resources,
    openedResources,
    imports,
    views: { db, newId },
    answers: answerStore(db, clock),
    throttle: loginThrottle,
    sweepFailures: failures.sweep,
    warn,
    changes,
    cursors: context.cursors,
    streams,
    tasks,
    secrets,
  }
}

const defaultLimits: DeliveryLimits = { answerMs: 10_000, clockCheckMs: 1_000, leaseMs: 15_000, graceMs: 500 }

interface EventWriterParts {
  readonly prefix: string
  readonly changes: ReturnType<typeof openChanges>
  readonly timeZone: string
}

/** Returns a function that writes a change as the feed shows it in JSON. With `hasValue`, the event includes the record after the change. */
const eventWriter = ({ prefix, changes, timeZone }: EventWriterParts, routedParts: () => RouteSources) => {
  const { element, uncachedElement } = writer(timeZone)
  const routes = once(() => allRoutes(routedParts()))
  const valueAfter = async ({ id, subject, number, type }: Change) => {
    const [found] = await changes.historyOf(type.slice(0, type.indexOf('.')), subject, {
      before: number + 1,
      size: 1,
    })
    const schema = recordSchema(routes(), type)
    if (found?.change.id !== id || found.value === null || !schema) return null
    return JSON.parse(uncachedElement(found.value, { schema, format: 'json' }))
  }
  return async (change: Change, hasValue: boolean) => {
    const feedEvent = cloudEvent(change, { prefix, routes: routes() })
    const text = element(feedEvent, { schema: changeSchema, format: 'json' })
    if (!hasValue) return text
    const event = JSON.parse(text)
    return JSON.stringify({ ...event, data: { ...event.data, value: await valueAfter(change) } })
  }
}

/** The schema that shows a record, without its credential, after a change of this type. */
const recordSchema = (routes: readonly Route[], type: string) => {
  const noun = type.slice(0, type.indexOf('.'))
  const showsNoun = ({ method, list, isHistory, shows }: Route) =>
    method === 'GET' && !list && !isHistory && shows.full.xml?.name === noun
  const views = routes.find(showsNoun)?.shows
  return views?.detailed ?? views?.full
}
