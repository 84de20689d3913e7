import { type Duplex, duplexPair } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DestinationStream } from 'pino'
import { type Clock, systemClock } from '#core/clock.ts'
import { type NewId, risingIds } from '#core/id.ts'
import { commonWords } from '#core/messages.ts'
import { type PasswordHasher, passwordHasher } from '#core/password.ts'
import { mergeWords } from '#core/words.ts'
import { stopListening } from '#http/drain.ts'
import { requestLog } from '#http/log.ts'
import { answerKeeper } from '#ledger/answers.ts'
import { passingSecret, secret } from '#ledger/secrets.ts'
import { sweeping } from '#ledger/sweep.ts'
import { resources } from '#resources/index.ts'
import type { OpenResource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { openDatabase } from '#sql/open.ts'
import type { Config, SettingName } from './config.ts'
import { type Defences, openDefences } from './defences.ts'
import { type AdministratorMade, openEntrance } from './entrance.ts'
import { addressOf, closeAll, listenAll } from './listening.ts'
import { openLog } from './log.ts'
import { openMetrics } from './management/metrics.ts'
import { openTraces } from './management/traces.ts'
import { migrateAll, requireCurrent } from './migrations.ts'
import { mountApi } from './mounting.ts'
import { openRefusedPasswords, type RefusedPasswords } from './refused-passwords.ts'
import { openServers } from './servers.ts'
import { readTls, renewTls } from './tls.ts'
import { version } from './version.ts'

/** Every path of the API begins with this (decision 0014). */
export const apiPrefix = '/api/v1'

/** What the outer world gives, where it is not the real one. */
export interface World {
  readonly clock?: Clock
  readonly newId?: NewId
  readonly logSink?: DestinationStream
  /** The versions that are mounted, each on the same rooms. */
  readonly prefixes?: readonly string[]
  /** It listens nowhere: who has it connects to it. */
  readonly isOffline?: boolean
  /** Whoever asks it only looks: nothing of the database is changed, not even tables of an earlier version. */
  readonly untouched?: boolean
  readonly administratorMade?: AdministratorMade
}

export interface App {
  readonly url: string
  readonly managementUrl: string | undefined
  /** Writes a line of the log. */
  note(words: string, fields?: Readonly<Record<string, string>>): void
  /** A connection to the API that takes no network. */
  connect(): Duplex
  /** Takes over those of the settings that may change while it runs. */
  reload(config: Config): Promise<void>
  /** Says that it is about to go, and waits until nobody comes any more; what is asked meanwhile is answered. */
  drain(): Promise<void>
  /** Lets the requests that are there finish, and closes everything. */
  close(): Promise<void>
}

/** The settings that `reload` takes over; the others need a new start. */
export const reloadable: ReadonlySet<SettingName> = new Set<SettingName>([
  'PUBLIC_URL',
  'TRUST_PROXY',
  'BODY_LIMIT',
  'PAGE_SIZE_MAX',
  'RATE_LIMIT',
  'ALLOWED_HOSTS',
  'CORS_ORIGINS',
  'REQUIRE_IF_MATCH',
  'REFUSED_PASSWORDS',
  'API_DEPRECATED',
  'API_SUNSET',
  'API_SUCCESSOR',
  'LOG_LEVEL',
])

/** Balancers that look at readiness have so long to see that it is about to go, before nobody new is let in. */
const noticeMs = 750

/** What is left of the ten seconds that a stop may take, for requests that do not end. */
const lastRequestsMs = 1_500

/** Puts the service together, from the ground up to the listeners. What was opened is closed again where a start fails. */
export const openApp = async (config: Config, world: World = {}): Promise<App> => {
  await using opened = new AsyncDisposableStack()
  const clock = world.clock ?? systemClock
  const tls = await readTls(config)
  const log = openLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, sink: world.logSink })
  opened.defer(log.close)
  let isUp = false
  opened.defer(() => {
    if (isUp) log.logger.info('ended')
  })
  const refused = await openRefusedPasswords(config)
  const passwords = passwordHasher()
  const metrics = openMetrics({
    version,
    hashesWaiting: () => passwords.waiting,
    logLinesDropped: log.dropped,
  })
  const traces = openTraces({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: config.OTEL_SERVICE_NAME,
  })
  opened.defer(traces.close)
  const { untouched = false } = world
  const engine = await openDatabase(config.DATABASE_URL, { observe: metrics.observer, untouched })
  opened.defer(engine.close)
  const db = traces.database(engine)
  await (untouched ? requireCurrent(db) : migrateAll(db))
  const rooms = openRooms(config, db, { clock, newId: world.newId ?? risingIds(clock), passwords, refused })
  const warn = (error: unknown) => log.logger.warn({ err: error }, 'access')
  const signIn = rooms.find((room) => room.signIn)?.signIn
  const prefixes = world.prefixes ?? [apiPrefix]
  const defend = (config: Config) => openDefences(config, { db, clock, warn })
  const life: Life = { isDraining: false, defences: defend(config) }
  opened.defer(() => life.defences.stop())
  const { administratorMade } = world
  const entrance = await openEntrance(config, {
    db,
    clock,
    passwords,
    signIn,
    warn,
    prefixes,
    administratorMade,
  })
  opened.defer(entrance.close)
  const answers = answerKeeper(db, clock)
  const sweepable = {
    sweep: async () => (await answers.sweep()) + (await entrance.sweep()) + (await life.defences.sweep()),
  }
  const sweep = sweeping(sweepable, (error) => log.logger.warn({ err: error }, 'sweep failed'))
  opened.defer(sweep.stop)
  const secrets = untouched ? passingSecret : (name: string) => secret(db, name)
  const ground = { db, rooms, clock, answers, entrance, traces, secrets }
  const mountAll = (config: Config, defences: Defences) =>
    Promise.all(prefixes.map((prefix) => mountApi(config, { ...ground, defences }, prefix)))
  const mounts = await mountAll(config, life.defences)
  const rules = {
    words: mergeWords([commonWords, ...resources.map(({ words }) => words)]),
    locale: config.LOCALE,
    errorsUrl: errorsUrl(config),
  }
  const parts = {
    mounts,
    rules,
    log: requestLog(log.logger, log.lines),
    isDraining: () => life.isDraining,
    observe: metrics.observe,
    tls,
  }
  const servers = openServers(config, parts, {
    db,
    metrics,
    tells: entrance.tells,
    around: (respond) => (exchange) => life.defences.aroundOthers(respond)(exchange),
    isProxy: (address) => life.defences.isProxy(address),
    named: (respond) => (exchange) => life.defences.named(respond)(exchange),
  })
  const doors = world.isOffline ? [servers.api] : await listenAll(config, servers)
  opened.defer(() => closeAll(servers, doors, life.closeLimitMs))
  const running = opened.move()
  isUp = true
  return {
    url: addressOf(servers.api),
    managementUrl: servers.management && addressOf(servers.management),
    note: (words, fields = {}) => log.logger.info(fields, words),
    connect() {
      const [near, far] = duplexPair()
      servers.api.emit('connection', far)
      return near
    },
    async reload(next) {
      const defences = defend(next)
      try {
        const mounted = await mountAll(next, defences)
        const tls = await readTls(next)
        await refused.reload(next)
        renewTls(tls, [servers.api, servers.management])
        mounts.splice(0, mounts.length, ...mounted)
      } catch (error) {
        defences.stop()
        throw error
      }
      life.defences.stop()
      life.defences = defences
      entrance.reload(next)
      rules.errorsUrl = errorsUrl(next)
      log.logger.level = next.LOG_LEVEL
    },
    async drain() {
      life.isDraining = true
      await sleep(noticeMs)
      await stopListening(doors)
      life.closeLimitMs = lastRequestsMs
    },
    async close() {
      life.isDraining = true
      await running.disposeAsync()
    },
  }
}

interface Life {
  isDraining: boolean
  defences: Defences
  closeLimitMs?: number
}

/** Where codes are explained: below PUBLIC_URL if it is set, else a reference to the same origin. */
const errorsUrl = ({ PUBLIC_URL = '' }: Config) => `${PUBLIC_URL}/docs/errors/`

interface Given {
  readonly clock: Clock
  readonly newId: NewId
  readonly passwords: PasswordHasher
  readonly refused: RefusedPasswords
}

const openRooms = (config: Config, db: Engine, given: Given): readonly OpenResource[] => {
  const { refused, ...others } = given
  const ground = { db, ...others, timeZone: config.TIME_ZONE, isRefused: refused.has }
  return resources.map((resource) => resource.open(ground))
}
