import { setTimeout as sleep } from 'node:timers/promises'
import { rootCauseOf } from '#core/cause.ts'
import { conflict, storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Row } from '#sql/database.ts'
import type { Engine, Observer } from '#sql/engine.ts'
import { runLogged } from '#sql/log-table.ts'
import { type Query, raw } from '#sql/query.ts'
import { units } from '#sql/unit.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { codeOf, isInterference, reportAndRefuse } from './errors.ts'
import { type Limits, limitsFor } from './limits.ts'
import { listenerConnection } from './listener-connection.ts'
import { type LookupQuery, lookups, type Read } from './lookups.ts'
import { pool } from './pool.ts'
import type { Session } from './session.ts'
import { sharedSessions } from './shared-sessions.ts'
import { streams } from './streams.ts'
import { type OpenTransaction, transact, transactPipelined } from './transaction.ts'
import { hostsOf } from './wire/url.ts'
import { writeAdmission } from './write-admission.ts'
import { writeGroups } from './write-groups.ts'

/** The number of the advisory lock for migrations. Every version of the program must use the same number. */
const migrationLock = 0x526f6c6c

interface PostgresOptions {
  readonly observe?: Observer
  readonly limits?: Partial<Limits>
  readonly connections?: number
}

export const openPostgres = async (url: string, options: PostgresOptions = {}): Promise<Engine> => {
  const limits = { ...limitsFor(options.connections), ...options.limits }
  const database = engine(url, options.observe ?? {}, limits)
  try {
    await requireUtf8(database)
    return database
  } catch (error) {
    await database.close()
    if (error instanceof DataUnusable) throw error
    throw new DataUnusable(
      'unreadable',
      `PostgreSQL at ${hostNamesOf(url)} cannot be used: ${explain(error)}`,
      error,
    )
  }
}

/** The cause of the error. If the authority of the certificate is unknown, Node's advice is replaced by a remedy that works here. */
const explain = (error: unknown) => {
  const unverified = /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF)/
  if (!unverified.test(codeOf(error) ?? '')) return rootCauseOf(error)
  const [words = ''] = rootCauseOf(error).split(';')
  return `${words}. Set sslrootcert=PATH in the URL, or PGSSLROOTCERT, to a file with the certificate of the server's authority or of the server`
}

/** A database in another encoding cannot store every text. */
const requireUtf8 = async (database: Engine) => {
  const [encoding] = await database.read(raw("SELECT current_setting('server_encoding') AS name"), toName)
  if (encoding !== 'UTF8')
    throw new DataUnusable(
      'unreadable',
      `The encoding of the database is ${encoding}. Create one in UTF8: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'.`,
    )
}

const toName = (row: Row) => String(row.name)

const engine = (url: string, observer: Observer, limits: Limits): Engine => {
  const sessions = pool(url, limits)
  observer.poolOpened?.('sessions', sessions.sessionSlots)
  const { maxWaiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('too many reads are under way'))
  const readSlots = slots({ places: limits.reads, maxWaiting, waitMs, refusal })
  observer.poolOpened?.('reads', readSlots)
  const notifications = listenerConnection(sessions.openUnpooled, limits, observer)
  const admission = writeAdmission(sessions, observer, limits)

  const reportFailure = <T>(result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      throw reportAndRefuse(observer, error)
    })

  const retryIfInterfered = retrying(limits)
  const scanUnreported: Read = (query, mapRow) => retryIfInterfered(() => sessions.read(query, mapRow))
  const shared = sharedSessions(sessions, limits)
  const find = lookups(limits, (query, mapRow) => retryIfInterfered(() => shared.sendNow(query, mapRow)))
  const shortRead = <T>(ask: () => Promise<T>): Promise<T> => reportFailure(readSlots.use(ask))
  const read: Read = (query, mapRow) =>
    shortRead(() => retryIfInterfered(() => shared.readTogether(query, mapRow)))
  const scan: Read = (query, mapRow) => reportFailure(scanUnreported(query, mapRow))
  const stream = streams({ limits, sessions, observer, readAll: scanUnreported })

  const writeTimed = async <T>(work: (session: Session) => Promise<T>, writes: number): Promise<T> => {
    const startedAtMs = performance.now()
    const value = await admission.admit(work)
    observer.groupCommitted?.(writes, performance.now() - startedAtMs)
    return value
  }

  const writeOnce = <T>(work: (tx: OpenTransaction) => Promise<T>): Promise<T> =>
    reportFailure(writeTimed((session) => transact(session, work, notifications.publishing), 1))

  const write = <T>(work: (tx: OpenTransaction) => Promise<T>) => retryIfInterfered(() => writeOnce(work))

  const groupedWrites = writeGroups({
    limits,
    runTogether: (queries) => writeTimed((session) => transactPipelined(session, queries), queries.length),
    runAlone: (query, entry) => write((tx) => runLogged(tx, query, entry)),
    refusalOf: (error) => reportAndRefuse(observer, error),
  })

  const { current, unit } = units((work) => retryIfInterfered(() => work(writeOnce)))
  let closing: Promise<void> | undefined

  return {
    engine: 'postgres',
    find: async (query, mapRow) => {
      const tx = current()?.tx
      if (!tx && isLookup(query)) return shortRead(() => find(query, mapRow))
      return (await (tx?.read(query, mapRow) ?? read(query, mapRow)))[0]
    },
    read: (query, mapRow) => current()?.tx?.read(query, mapRow) ?? read(query, mapRow),
    scan: (query, mapRow) => current()?.tx?.read(query, mapRow) ?? scan(query, mapRow),

    async *stream(query, mapRow) {
      try {
        yield* stream(query, mapRow)
      } catch (error) {
        throw reportAndRefuse(observer, error)
      }
    },

    write: (work) => current()?.write(work) ?? write(work),
    run: (query, entry) =>
      current()?.write((tx) => runLogged(tx, query, entry)) ?? groupedWrites.run(query, entry),
    unit,
    alter: (work) => write((tx) => lockForMigration(tx).then(() => work(tx))),
    listen: notifications.listen,

    async commitToken() {
      const [token = ''] = await read(commitTokenQuery, toToken)
      return token
    },

    async ping() {
      await read(raw('SELECT 1'), toToken)
    },

    close: () => {
      admission.close()
      closing ??= Promise.all([notifications.close(), shared.close(), sessions.close()]).then(() => undefined)
      return closing
    },
  }
}

/** The snapshot changes with every commit. A promoted standby or a restored copy has another start time. */
const commitTokenQuery = raw(
  "SELECT extract(epoch FROM pg_postmaster_start_time()) || ':' || pg_current_snapshot() AS token",
)

const isLookup = (query: Query): query is LookupQuery => query.lookup !== undefined

const toToken = (row: Row) => String(row.token)

/** Runs the work again if another transaction interfered. */
const retrying =
  ({ attempts, pauseBeforeRetryMs }: Limits) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (!isInterference(error)) throw error
        if (attempt === attempts) throw conflict(error)
      }
      await sleep(Math.random() * pauseBeforeRetryMs * attempt)
    }
  }

/** Lets only one process at a time change tables. Waits as long as necessary. */
const lockForMigration = async (tx: OpenTransaction) => {
  await tx.exec('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0')
  await tx.exec(`SELECT pg_advisory_xact_lock(${migrationLock})`)
}

const hostNamesOf = (url: string) =>
  hostsOf(url)
    .map(({ host, port }) => `${host}:${port}`)
    .join(', ')
