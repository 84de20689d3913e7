import { memoize } from '#core/memoize.ts'
import { storageUnavailable } from '#core/problem.ts'
import type { Row, RowMapper } from '#sql/database.ts'
import { type Query, sql } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'
import type { Limits } from './limits.ts'
import { requireOwnBackend } from './own-backend.ts'
import { type Address, addressOf } from './wire/address.ts'
import { connect } from './wire/connection.ts'
import { ConnectionLost, ServerError } from './wire/errors.ts'
import type { Result } from './wire/request.ts'
import type { Host } from './wire/url.ts'

export type Session = Awaited<ReturnType<typeof openSession>>

export type Notified = (topic: string, payload: string) => void

interface SessionParts {
  readonly url: string
  readonly host: Host
  readonly limits: Limits
  readonly notified?: Notified | undefined
  readonly asksTimeline: boolean
  /** Whether a pooler is already known to be between us and the server. */
  readonly isPooled: boolean
}

/** A promoted server continues on a higher timeline than the primary that it replaced. */
export interface Timeline {
  readonly system: string
  /** Hexadecimal digits of fixed length, so texts compare like numbers. */
  readonly id: string
}

/** Opens a connection to a primary. */
export const openSession = async (parts: SessionParts) => {
  const { url, host, limits, notified, asksTimeline, isPooled } = parts
  let loss: unknown
  const lossListeners = new Set<(loss: unknown) => void>()
  const closed = (cause: unknown) => {
    loss = storageUnavailable(cause)
    for (const notify of lossListeners) notify(loss)
  }
  const { answerMs } = limits
  const address = addressOf(url, host)
  const { connectMs = limits.connectMs } = address
  const giveUpAtMs = performance.now() + connectMs
  const connection = await connect(address, { connectMs, notified, closed }).catch(orWrongParameter)

  const ask = <T>({ text, values }: Query, limitMs = answerMs, mapRow?: RowMapper<T>) =>
    connection.ask<T>({ text: numbered(text), values, limitMs, mapRow })
  const exec = async (text: string, limitMs = answerMs) =>
    (await connection.exec(text, limitMs)).rows as readonly Row[]
  const drop = () => connection.destroy(new Error('it was dropped'))
  const opening = async () => {
    const execInTime = (text: string) => exec(text, giveUpAtMs - performance.now())
    const asked = execInTime(asksTimeline ? withTimeline : identity)
    const { pid, timeline } = await primaryOf(isPooled ? asked.catch(orOutOfConnections) : asked)
    if (pid !== connection.announcedPid() && !isPooled)
      await requireOwnBackend(execInTime, address, connectMs)
    const given = Object.entries(address.parameters).map(([name, value]) =>
      ask(sql`SELECT set_config(${name}, ${value}, false)`).catch(orWrongParameter),
    )
    await Promise.all([...given, execInTime(settings(limits, address.parameters))])
    return { pid, timeline, isPooled: pid !== connection.announcedPid() }
  }
  const opened = await opening().catch((error) => {
    drop()
    throw error
  })
  let late: Promise<unknown> | undefined

  return {
    limits,
    /** The process id of the server's backend, and the server's timeline. */
    ...opened,
    drop,

    /** Sends one or more statements verbatim. */
    exec,

    /** Sends a statement without waiting for earlier ones (pipelining). */
    query: (query: Query, limitMs?: number) => ask<Row>(query, limitMs),

    /** As `query`, but equal rows yield the same object. */
    read: <T>(query: Query, mapRow: RowMapper<T>, limitMs?: number) => ask(query, limitMs, mapRow),

    /** As `query`, but stops waiting after `limitMs`. Then nobody may use the session until `late` resolves. */
    async queryInTime(query: Query, limitMs: number): Promise<Result<Row>> {
      const answer = ask<Row>(query, limits.lateCommitMs)
      const timeUp = Promise.withResolvers<never>()
      const timer = setTimeout(() => {
        late = answer.then(noLonger, noLonger)
        timeUp.reject(storageUnavailable(new Error('no answer in time')))
      }, limitMs)
      const noLonger = () => {
        late = undefined
      }
      try {
        return await Promise.race([answer, timeUp.promise])
      } finally {
        clearTimeout(timer)
      }
    },

    /** Resolves when the late answer arrives or the connection ends. Undefined if no answer is late. */
    late: () => late,

    isLost: () => loss !== undefined,

    /** Calls `listener` once, when the connection is lost. */
    whenLost(listener: () => void) {
      if (loss === undefined) lossListeners.add(listener)
      else listener()
    },

    /** Settles as the work does, or rejects if the connection is lost first. */
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

/** A pooler without a free connection lets its clients wait, where a server would refuse them. */
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

/** The parameter is unknown, its value is invalid, a session cannot change it, or this role may not. */
const wrongParameter = /^(42704|22023|55P02|42501)$/

/** Sets parameters by set_config, because poolers refuse them when the connection opens. */
const settings = (limits: Limits, given: Address['parameters']) => {
  const own = Object.entries({
    // If BEGIN fails, the statements already sent after it must not write outside a transaction.
    default_transaction_read_only: 'on',
    default_transaction_isolation: 'read committed',
    // With a limit, a text index finds only some of the rows.
    gin_fuzzy_search_limit: '0',
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
    idle_in_transaction_session_timeout: String(limits.idleMs),
    // A warning may say that a commit is not durable.
    client_min_messages: 'warning',
  }).filter(([name]) => given[name] === undefined)
  const parts = own.map(([name, value]) => `set_config('${name}', '${value}', false)`)
  return `SELECT ${[...parts, durableCommits].join()}`
}

/** Overrides server, role and URL, so that a commit is answered only when it is durable. `remote_apply` is stricter, so it stays. */
const durableCommits = `set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`

const identity = 'SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid'

/** Reads the timeline from the current WAL file: the checkpoint in the control file may be older than a promotion. */
const withTimeline = `${identity}, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`

/** Refuses a standby, because only a primary makes commits durable. */
const primaryOf = async (opened: Promise<readonly Row[]>) => {
  const [row] = await opened
  if (row?.standby !== false) throw storageUnavailable(new Error('the server is a standby'))
  const { pid, system, timeline: id } = row
  const timeline: Timeline | undefined = system ? { system: String(system), id: String(id) } : undefined
  return { pid: Number(pid), timeline }
}

/** Replaces each `?` by a numbered placeholder, as the server requires. */
const numbered = memoize(
  (text) => {
    let count = 0
    return text.replace(token, (found) => (found === '?' ? `$${++count}` : found))
  },
  { maxEntries: 1_000, maxKeyLength: 65_536 },
)

/** A `?` in a string, a quoted name or a comment is not a placeholder. */
const token = /'(?:[^']|'')*'|"[^"]*"|--.*|\?/g
