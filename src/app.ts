import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DestinationStream } from 'pino'
import { policyGuard } from '#access/policy.ts'
import { type Clock, systemClock } from '#core/clock.ts'
import { type NewId, risingIds } from '#core/id.ts'
import { commonWords } from '#core/messages.ts'
import { type PasswordHasher, passwordHasher } from '#core/password.ts'
import { Problem } from '#core/problem.ts'
import { mergeWords } from '#core/words.ts'
import { api } from '#http/api.ts'
import { cursors } from '#http/cursor.ts'
import { closeGracefully } from '#http/drain.ts'
import { idempotency } from '#http/idempotency.ts'
import { type ListenerParts, listener, type Mount } from '#http/listener.ts'
import { requestLog } from '#http/log.ts'
import { documented } from '#http/openapi/serve.ts'
import { originReader } from '#http/origin.ts'
import { routes } from '#http/routes.ts'
import { shapes } from '#http/shape.ts'
import { bodyReaders } from '#http/validation.ts'
import { deprecationHeaders } from '#http/versions.ts'
import { writer } from '#http/writer.ts'
import { answerKeeper } from '#ledger/answers.ts'
import { ledgerMigrations } from '#ledger/migrations.ts'
import { secret } from '#ledger/secrets.ts'
import { sweeping } from '#ledger/sweep.ts'
import { resources } from '#resources/index.ts'
import type { OpenResource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { migrate, readMigrations } from '#sql/migrate.ts'
import { openDatabase } from '#sql/open.ts'
import type { Config } from './config.ts'
import { documentOf } from './document.ts'
import { type Entrance, openEntrance } from './entrance.ts'
import { openLog } from './log.ts'
import { management } from './management/index.ts'

/** Every path of the API begins with this (decision 0014). */
export const apiPrefix = '/api/v1'

/** What the outer world gives, where it is not the real one. */
export interface World {
  readonly clock?: Clock
  readonly newId?: NewId
  readonly logSink?: DestinationStream
}

export interface App {
  readonly url: string
  readonly managementUrl: string | undefined
  /** The administrator that was made just now: nobody will be told this password again. */
  readonly madeAdministrator: Entrance['madeAdministrator']
  /** Lets the requests that are there finish, and closes everything. */
  close(): Promise<void>
}

/** Puts the service together, from the ground up to the listeners. */
export const openApp = async (config: Config, world: World = {}): Promise<App> => {
  const clock = world.clock ?? systemClock
  const log = openLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, sink: world.logSink })
  const db = await openDatabase(config.DATABASE_URL)
  await migrateAll(db)
  const passwords = passwordHasher()
  const rooms = openRooms(config, db, { clock, newId: world.newId ?? risingIds(clock), passwords })
  const warn = (error: unknown) => log.logger.warn({ err: error }, 'access')
  const signIn = rooms.find((room) => room.signIn)?.signIn
  const entrance = await openEntrance(config, { db, clock, passwords, signIn, warn })
  const answers = answerKeeper(db, clock)
  const sweepable = { sweep: async () => (await answers.sweep()) + (await entrance.sweep()) }
  const sweep = sweeping(sweepable, (error) => log.logger.warn({ err: error }, 'sweep failed'))
  const life = { isDraining: false }
  const mounts = [await mountApi(config, { db, rooms, clock, answers, entrance })]
  const parts = {
    mounts,
    rules: {
      words: mergeWords([commonWords, ...resources.map(({ words }) => words)]),
      locale: config.LOCALE,
      errorsUrl,
    },
    log: requestLog(log.logger),
    isDraining: () => life.isDraining,
  }
  const servers = await listenAll(config, parts, db)
  return {
    url: addressOf(servers.api),
    managementUrl: servers.management && addressOf(servers.management),
    madeAdministrator: entrance.madeAdministrator,
    async close() {
      life.isDraining = true
      sweep.stop()
      await Promise.all([servers.api, servers.management].map((server) => server && closeGracefully(server)))
      await db.close()
      log.close()
    },
  }
}

/** Where codes are explained: a relative reference, to be resolved against the documents of the service. */
const errorsUrl = '/docs/errors/'

const migrateAll = async (db: Engine) => {
  const ofRooms = resources.map(({ name, migrations }) => readMigrations(migrations, name, db.engine))
  await migrate(
    db,
    (await Promise.all([readMigrations(ledgerMigrations, 'ledger', db.engine), ...ofRooms])).flat(),
  )
}

interface Given {
  readonly clock: Clock
  readonly newId: NewId
  readonly passwords: PasswordHasher
}

const openRooms = (config: Config, db: Engine, given: Given): readonly OpenResource[] => {
  const ground = { db, ...given, timeZone: config.TIME_ZONE }
  return resources.map((resource) => resource.open(ground))
}

interface ApiGround {
  readonly db: Engine
  readonly rooms: readonly OpenResource[]
  readonly clock: Clock
  readonly answers: ReturnType<typeof answerKeeper>
  readonly entrance: Entrance
}

const mountApi = async (config: Config, ground: ApiGround): Promise<Mount> => {
  const { db, rooms, clock, answers, entrance } = ground
  const http = routes()
  for (const room of rooms) room.routes(http)
  const respond = api({
    prefix: apiPrefix,
    routes: http.table,
    guard: policyGuard(http.table, entrance.authenticate),
    origin: originReader(config.PUBLIC_URL, (address) =>
      config.TRUST_PROXY.check(address, address.includes(':') ? 'ipv6' : 'ipv4'),
    ),
    writer: writer(shapes(config.TIME_ZONE)),
    readerOf: bodyReaders(clock, config.TIME_ZONE),
    bodyLimitBytes: config.BODY_LIMIT,
    pageSizeMax: config.PAGE_SIZE_MAX,
    insistsOnVersion: config.REQUIRE_IF_MATCH,
    cursors: cursors(await secret(db, 'cursor')),
    idempotency: idempotency(answers, await secret(db, 'idempotency')),
    state: () => db.state(),
  })
  const { API_DEPRECATED, API_SUNSET, API_SUCCESSOR } = config
  const headers = deprecationHeaders({
    deprecatedAt: API_DEPRECATED,
    sunsetAt: API_SUNSET,
    successor: API_SUCCESSOR,
  })
  const document = documentOf(http.table, {
    server: (config.PUBLIC_URL ?? '') + apiPrefix,
    access: config.ACCESS,
    isDeprecated: API_DEPRECATED !== undefined,
  })
  return { prefix: apiPrefix, respond: documented(apiPrefix, document, respond), headers }
}

const listenAll = async (config: Config, parts: Omit<ListenerParts, 'otherwise'>, db: Engine) => {
  const otherwise = () => Promise.reject(new Problem('forbidden'))
  const api = await listen(listener({ ...parts, otherwise }), config.HOST, config.PORT)
  if (config.MANAGEMENT_PORT === 'off') return { api, management: undefined }
  const readiness = { reasons: () => storageReasons(db, parts.isDraining) }
  const pages = listener({ ...parts, otherwise: management({ readiness }) })
  return { api, management: await listen(pages, config.MANAGEMENT_HOST, config.MANAGEMENT_PORT) }
}

const storageReasons = async (db: Engine, isDraining: () => boolean): Promise<readonly string[]> => {
  if (isDraining()) return ['draining']
  return db.ping().then(
    () => [],
    () => ['storage'],
  )
}

const listen = (server: Server, host: string, port: number) =>
  new Promise<Server>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, () => resolve(server))
  })

const addressOf = (server: Server) => {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
