import { memoize } from '#core/memoize.ts'
import { storageUnavailable } from '#core/problem.ts'
import type { Row, RowMapper } from '#sql/database.ts'
import { type Query, sql } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'
import type { Limits } from './limits.ts'
import { refuseTransactionPooling } from './transaction-pooling.ts'
import { type Address, addressOf } from './wire/address.ts'
import { connect } from './wire/connection.ts'
import { ConnectionLost, ServerError } from './wire/errors.ts'
import type { Result } from './wire/request.ts'
import type { Host } from './wire/url.ts'

export type Session = Awaited<ReturnType<typeof openSession>>

export type OnNotification = (topic: string, payload: string) => void

interface SessionOptions {
  readonly url: string
  readonly host: Host
  readonly limits: Limits
  readonly onNotification?: OnNotification | undefined
  readonly needsTimeline: boolean
  /** True if earlier connections went through a pooler. */
  readonly isPooled: boolean
}

/** A promoted server continues on a higher timeline than the primary that it replaced. */
export interface Timeline {
  readonly system: string
  /** Hexadecimal digits of fixed length, so texts compare like numbers. */
  readonly id: string
}

/** Opens a connection to a primary. */
export const openSession = async (options: SessionOptions) => {
  const { url, host, limits, onNotification, needsTimeline, isPooled } = options
  let loss: unknown
  const lossListeners = new Set<(loss: unknown) => void>()
  const onClosed = (cause: unknown) => {
    loss = storageUnavailable(cause)
    for (const notify of lossListeners) notify(loss)
  }
  const { answerMs } = limits
  const address = addressOf(url, host)
  const { connectMs = limits.connectMs } = address
  const giveUpAtMs = performance.now() + connectMs
  const connection = await connect(address, { connectMs, onNotification, onClosed }).catch(orWrongParameter)

  const ask = <T>({ text, values }: Query, limitMs = answerMs, mapRow?: RowMapper<T>) =>
    connection.ask<T>({ text: numberPlaceholders(text), values, limitMs, mapRow })
  const exec = async (text: string, limitMs = answerMs) =>
    (await connection.exec(text, limitMs)).rows as readonly Row[]
  const drop = () => connection.destroy(new Error('it was dropped'))
  const initialize = async () => {
    const execInTime = (text: string) => exec(text, giveUpAtMs - performance.now())
    const identity = execInTime(needsTimeline ? identityAndTimelineQuery : identityQuery)
    const { pid, timeline } = await requirePrimary(isPooled ? identity.catch(orOutOfConnections) : identity)
    if (pid !== connection.announcedPid() && !isPooled)
      await refuseTransactionPooling(execInTime, address, connectMs)
    const parametersSet = Object.entries(address.sessionParameters).map(([name, value]) =>
      ask(sql`SELECT set_config(${name}, ${value}, false)`).catch(orWrongParameter),
    )
    await Promise.all([...parametersSet, execInTime(settingsQuery(limits, address.sessionParameters))])
    return { pid, timeline, isPooled: pid !== connection.announcedPid() }
  }
  const backend = await initialize().catch((error) => {
    drop()
    throw error
  })
  let lateAnswer: Promise<unknown> | undefined

  return {
    limits,
    /** The process id of the server's backend, and the server's timeline. */
    ...backend,
    drop,

    /** Sends one or more statements verbatim. */
    exec,

    /** Sends a statement without waiting for earlier ones (pipelining). */
    query: (query: Query, limitMs?: number) => ask<Row>(query, limitMs),

    /** As `query`, but turns each row into an object by `mapRow`. Equal rows of any answer yield the same frozen object. */
    read: <T>(query: Query, mapRow: RowMapper<T>, limitMs?: number) => ask(query, limitMs, mapRow),

    /** As `query`, but rejects after `limitMs`. Then nobody may use the session until `lateAnswer` resolves. */
    async queryInTime(query: Query, limitMs: number): Promise<Result<Row>> {
      const answer = ask<Row>(query, limits.lateCommitMs)
      const timeUp = Promise.withResolvers<never>()
      const timer = setTimeout(() => {
        lateAnswer = answer.then(clearLate, clearLate)
        timeUp.reject(storageUnavailable(new Error('no answer in time')))
      }, limitMs)
      const clearLate = () => {
        lateAnswer = undefined
      }
      try {
        return await Promise.race([answer, timeUp.promise])
      } finally {
        clearTimeout(timer)
      }
    },

    /** Resolves when the late answer arrives, or the connection ends. Undefined if no answer is late. */
    lateAnswer: () => lateAnswer,

    isLost: () => loss !== undefined,

    /** Calls `listener` once, when the connection is lost. */
    whenLost(listener: () => void) {
      if (loss === undefined) lossListeners.add(listener)
      else listener()
    },

    /** Returns the result of the work, or rejects as soon as the connection is lost. */
    async whileAlive<T>(work: Promise<T>): Promise<T> {
      const { promise, reject } = Promise.withResolvers<never>()
      if (loss === undefined) lossListeners.add(reject)
      else reject(loss)
      try {
        return await Promise.race([work, promise])
      } finally {
        lossListeners.delete(reject)
      }
    },

    end: () => connection.end(limits.closeMs),
  }
}

/**
 * A server without a free connection refuses clients with 53300. A pooler lets them wait until the time limit, so a connection
 * lost while it opens becomes 53300, too.
 */
const orOutOfConnections = (error: unknown): never => {
  if (!(error instanceof ConnectionLost)) throw error
  throw storageUnavailable(
    Object.assign(new Error('the pooler has no connection to give'), { code: '53300' }),
  )
}

/** Reports a parameter in the URL that the server refuses. A restart cannot fix it. */
const orWrongParameter = (error: unknown): never => {
  if (!(error instanceof ServerError && wrongParameter.test(error.code))) throw error
  throw new DataUnusable(
    'wrongParameter',
    `DATABASE_URL has a parameter that the server refuses: ${error.message}.`,
    error,
  )
}

/** The parameter is unknown, its value is invalid, no session can change it, or this role is not allowed to change it. */
const wrongParameter = /^(42704|22023|55P02|42501)$/

/** Sets parameters by set_config, because poolers refuse parameters when the connection opens. */
const settingsQuery = (limits: Limits, urlParameters: Address['sessionParameters']) => {
  const defaults = Object.entries({
    // If BEGIN fails, the statements already sent after it must not write outside a transaction.
    default_transaction_read_only: 'on',
    default_transaction_isolation: 'read committed',
    // If there is a limit, a text index finds only some of the rows.
    gin_fuzzy_search_limit: '0',
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
    idle_in_transaction_session_timeout: String(limits.idleMs),
    // Warnings must arrive, because a warning may say that a commit is not durable.
    client_min_messages: 'warning',
  }).filter(([name]) => urlParameters[name] === undefined)
  const settings = defaults.map(([name, value]) => `set_config('${name}', '${value}', false)`)
  return `SELECT ${[...settings, requireDurableCommits].join()}`
}

/** Overrides the setting of the server, role and URL, so that a commit is answered only when it is durable. Keeps `remote_apply`, which is stricter. */
const requireDurableCommits = `set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`

const identityQuery = 'SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid'

/** Reads the timeline from the name of the current WAL file. The checkpoint in the control file may be older than a promotion. */
const identityAndTimelineQuery = `${identityQuery}, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`

/** Refuses a standby, because only a primary makes commits durable. */
const requirePrimary = async (identity: Promise<readonly Row[]>) => {
  const [row] = await identity
  if (row?.standby !== false) throw storageUnavailable(new Error('the server is a standby'))
  const { pid, system, timeline: id } = row
  const timeline: Timeline | undefined = system ? { system: String(system), id: String(id) } : undefined
  return { pid: Number(pid), timeline }
}

/** Replaces each `?` by a numbered placeholder, because the server accepts no other form. */
const numberPlaceholders = memoize(
  (text) => {
    let count = 0
    return text.replace(placeholderOrQuoted, (found) => (found === '?' ? `$${++count}` : found))
  },
  { maxEntries: 1_000, maxKeyLength: 65_536 },
)

/** A `?` in a string, a quoted name or a comment is not a placeholder. */
const placeholderOrQuoted = /'(?:[^']|'')*'|"[^"]*"|--.*|\?/g
