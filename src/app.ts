import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DestinationStream } from 'pino'
import { type Clock, systemClock } from '#core/clock.ts'
import { messagesOf } from '#core/error-table.ts'
import type { NewId } from '#core/id.ts'
import type { HashCosts } from '#core/password-hash.ts'
import { openTasks } from '#core/tasks.ts'
import { type Streams, streamRegistry } from '#http/api/event-stream.ts'
import { answerProblem, type RefusalContext } from '#http/message/refusal.ts'
import type { AnswerProblem } from '#http/wire/answer.ts'
import { stopListening } from '#http/wire/listening-sockets.ts'
import { oncePerSecond, type RequestLog, requestLog } from '#http/wire/log.ts'
import type { OnAdministratorCreated } from '#ledger/administrator.ts'
import { processUptimeMs, startSweeps } from '#ledger/sweep.ts'
import { errorsOf } from '#resources/combined.ts'
import type { DeliveryLimits } from '#resources/resource.ts'
import { nameDamagedFile } from '#sql/sqlite/damage.ts'
import { accessOf } from './app/access.ts'
import { clockWatch } from './app/database.ts'
import { openDefences } from './app/defences.ts'
import { watchDescriptors } from './app/descriptors.ts'
import { addressOf, closeAll, listenAll, requireAddresses } from './app/listening.ts'
import { mountApi } from './app/mounting.ts'
import { type CustomResource, resourcesOf } from './app/resources.ts'
import { openServers } from './app/servers.ts'
import { openShared } from './app/shared.ts'
import { certificateEnd, readTls, renewTls } from './app/tls.ts'
import type { Config } from './config.ts'
import { type Logger, openLog } from './log.ts'

/** The beginning of every path of the API (decision 0014). */
export const apiPrefix = '/api/v1'

/** Replacements for the clock, the log and other dependencies. Without a replacement, the default dependency is used. */
export interface Dependencies {
  readonly clock?: Clock
  readonly newId?: NewId
  readonly logSink?: DestinationStream
  /** The logger of the embedding program, used instead of the service's logger. */
  readonly logger?: Logger
  /** The declarations of the embedding program. */
  readonly resources?: readonly CustomResource[]
  /** The API listens on no port: a server of the embedding program passes requests to `handle`. */
  readonly isMounted?: boolean
  /** The costs of the hashes of new passwords. No setting changes them; only tests hash more cheaply. */
  readonly hashCosts?: HashCosts
  /** The prefixes of the API versions. All versions serve the same resources. */
  readonly apiPrefixes?: readonly string[]
  /** The API listens on no port: callers use `connect`. */
  readonly isOffline?: boolean
  /** The service changes nothing in the database and runs no migrations. */
  readonly readOnly?: boolean
  readonly streams?: Streams
  /** The time for which the process has run. */
  readonly uptimeMs?: () => number
  /** The time between two runs of sweeps and other tasks. */
  readonly taskPeriodMs?: number
  /** The time limits of deliveries to webhooks. Tests shorten them. */
  readonly deliveryLimits?: Partial<DeliveryLimits>
  readonly onAdministratorCreated?: OnAdministratorCreated
  /** Receives the finished requests instead of the log. */
  readonly requestLog?: RequestLog
}

export interface App {
  readonly url: string
  readonly managementUrl: string | undefined
  /** Writes a line to the log. */
  writeLog(words: string, fields?: Readonly<Record<string, string>>, level?: 'info' | 'error'): void
  /** Logs the error that ends the service. */
  logCrash(error: unknown): void
  /** Opens a connection to the API that needs no network. */
  connect(): Duplex
  /** Answers a request that another server has received. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): void
  /** Reads the certificate and the refused passwords again, and sets the level of the log. If a file cannot be read, nothing changes. */
  reload(level: Config['LOG_LEVEL']): Promise<void>
  /** Reports that the service is not ready, answers requests for a short time, and then stops accepting connections. */
  drain(): Promise<void>
  /** Lets running requests finish, then closes everything. */
  close(): Promise<void>
  /** Writes the remaining log lines, before a process ends without `close`. */
  closeLog(): Promise<void>
}

/** The time for load balancers to notice that the service is no longer ready. Then the service stops accepting connections. */
const readinessNoticeMs = 750

/** The time for which a stop waits for running requests. All steps of a stop together may take ten seconds. */
const lastRequestsMs = 1_500

/** The period of sweeps and of the check of the clock. */
const minuteMs = 60_000

/** The period of the search for imports to continue, and for changes whose notification was lost. */
const pollMs = 1_000

/** Assembles the service, from the database up to the listeners. A failing start closes everything that it opened. */
export const openApp = (config: Config, dependencies: Dependencies = {}): Promise<App> =>
  nameDamagedFile(config.DATABASE_URL, assemble(config, dependencies))

const assemble = async (config: Config, dependencies: Dependencies): Promise<App> => {
  await using opened = new AsyncDisposableStack()
  const { streams = streamRegistry(), apiPrefixes = [apiPrefix], onAdministratorCreated } = dependencies
  const { uptimeMs = processUptimeMs, taskPeriodMs: periodMs = minuteMs } = dependencies
  const lifecycle: Lifecycle = { isUp: false, isDraining: false }
  const { LOG_LEVEL: logLevel, LOG_FORMAT: format } = config
  const log = openLog({ level: logLevel, format, sink: dependencies.logSink, logger: dependencies.logger })
  opened.defer(log.close)
  opened.defer(() => {
    if (lifecycle.isUp) log.logger.info('ended')
  })
  const shouldLog = oncePerSecond(dependencies.clock ?? systemClock)
  const tasks = openTasks({
    failed(task, err) {
      if (shouldLog(task)) log.logger.warn({ task, err }, 'task failed')
    },
    recovered: (task) => log.logger.info({ task }, 'task works again'),
  })
  let tls = await readTls(config)
  if (!dependencies.isOffline) await requireAddresses(config, dependencies.isMounted)
  const certificateEndMs = () => certificateEnd(tls)?.getTime()
  const shared = await openShared(
    config,
    {
      ...dependencies,
      streams,
      log,
      tasks,
      uptimeMs,
      certificateEndMs,
      resources: await resourcesOf(config, dependencies.resources),
      prefix: apiPrefixes[0] ?? apiPrefix,
    },
    opened,
  )
  opened.defer(watchDescriptors(log, shared.metrics))
  const defences = openDefences(config, shared)
  opened.defer(defences.stop)
  const { origin } = defences
  const access = await accessOf(config, { ...shared, apiPrefixes, origin, onAdministratorCreated })
  const { answers, changes, clock, db, imports, sweepFailures } = shared
  const sweeps = {
    answers: answers.sweep,
    imports: imports.sweep,
    changes: changes.sweep,
    'login failures': sweepFailures,
    ...access.sweeps,
    ...defences.sweeps,
  }
  opened.defer(startSweeps({ tasks, clock, uptimeMs, periodMs }, sweeps))
  opened.defer(() => imports.release().catch((error) => tasks.ended('imports', error)))
  if (!dependencies.readOnly) opened.defer(tasks.every('imports', pollMs, imports.work))
  opened.defer(tasks.every('feed', pollMs, changes.checkForMissed))
  opened.defer(tasks.every('clock', periodMs, clockWatch({ db, clock, uptimeMs })))
  const refusalContext: RefusalContext = {
    messages: messagesOf(errorsOf(shared.resources)),
    locale: config.LOCALE,
    ...publicPaths(config),
    cors: defences.cors,
  }
  const requests = dependencies.requestLog ?? requestLog(log.logger, log.lines, shared.clock)
  /** Only the log shows the cause of a refusal. */
  const refuse: AnswerProblem = (problem, refused) => {
    if (problem.cause !== undefined) requests.failure(refused.track, problem.cause, problem.kind)
    return answerProblem(problem, refused, refusalContext)
  }
  const mounts = await Promise.all(
    apiPrefixes.map((prefix) => mountApi(config, { ...shared, refuse, access, defences }, prefix)),
  )
  const parts = {
    mounts,
    answerProblem: refuse,
    log: requests,
    addressOf: origin.address,
    isDraining: () => lifecycle.isDraining,
    observe: shared.metrics.observe,
    tls,
  }
  const servers = openServers(config, parts, { ...shared, access, defences })
  const sockets = dependencies.isOffline
    ? [servers.api]
    : await listenAll(config, servers, dependencies.isMounted)
  opened.defer(() => closeAll(servers, sockets, lifecycle.closeLimitMs))
  const stopDeliveries = async () => {
    shared.changes.close()
    await Promise.all(shared.openedResources.map((one) => one.deliveries?.stop()))
  }
  opened.defer(stopDeliveries)
  if (!dependencies.isOffline) for (const resource of shared.openedResources) resource.deliveries?.start()
  const running = opened.move()
  lifecycle.isUp = true
  return {
    url: addressOf(servers.api),
    managementUrl: servers.management && addressOf(servers.management),
    writeLog: (words, fields = {}, level = 'info') => log.logger[level](fields, words),
    logCrash: (err) => log.logger.fatal({ err }, 'crashed'),
    connect() {
      const [near, far] = duplexPair()
      servers.api.emit('connection', far)
      return near
    },
    handle: (incoming, outgoing) => void servers.api.emit('request', incoming, outgoing),
    async reload(level) {
      const renewed = await readTls(config)
      await shared.refusedPasswords.reload()
      renewTls(renewed, [servers.api, servers.management])
      tls = renewed
      log.logger.level = level
    },
    async drain() {
      lifecycle.isDraining = true
      await Promise.all([stopDeliveries(), sleep(readinessNoticeMs)])
      await stopListening(sockets)
      lifecycle.closeLimitMs = lastRequestsMs
    },
    async close() {
      lifecycle.isDraining = true
      await running.disposeAsync()
    },
    closeLog: log.close,
  }
}

interface Lifecycle {
  isUp: boolean
  isDraining: boolean
  closeLimitMs?: number
}

/** The base of the error documentation and of every path: below PUBLIC_URL if this setting is set, otherwise on the same origin. */
const publicPaths = ({ PUBLIC_URL = '' }: Config) => ({
  errorsUrl: `${PUBLIC_URL}/docs/errors/`,
  basePath: URL.parse(PUBLIC_URL)?.pathname.replace(/\/$/, '') ?? '',
})
