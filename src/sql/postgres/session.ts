import { storageUnavailable } from '#core/problem.ts'
import type { Make, Row } from '#sql/database.ts'
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
  /** Whether the history that the server is in matters. */
  readonly asksHistory: boolean
  /** Whether a pooler between us and the server is known already. */
  readonly isPooled: boolean
}

/** A server that was promoted continues on a higher timeline than the primary whose place it took. */
export interface History {
  readonly system: string
  /** In hexadecimal digits, always as many. */
  readonly timeline: string
}

/** One connection, to a primary. */
export const openSession = async (parts: SessionParts) => {
  const { url, host, limits, notified, asksHistory, isPooled } = parts
  let loss: unknown
  const losers = new Set<(loss: unknown) => void>()
  const closed = (cause: unknown) => {
    loss = storageUnavailable(cause)
    for (const lose of losers) lose(loss)
  }
  const { answerMs } = limits
  const address = addressOf(url, host)
  const { connectMs = limits.connectMs } = address
  const giveUpAtMs = performance.now() + connectMs
  const connection = await connect(address, { connectMs, notified, closed }).catch(orWrongParameter)

  const ask = <T>({ text, values }: Query, limitMs = answerMs, make?: Make<T>) =>
    connection.ask<T>({ text: numbered(text), values, limitMs, make })
  const exec = async (text: string, limitMs = answerMs) =>
    (await connection.exec(text, limitMs)).rows as readonly Row[]
  const drop = () => connection.destroy(new Error('it was dropped'))
  const opening = async () => {
    const execInTime = (text: string) => exec(text, giveUpAtMs - performance.now())
    const asked = execInTime(asksHistory ? withHistory : who)
    const { pid, history } = await primaryOf(isPooled ? asked.catch(orScarce) : asked)
    if (pid !== connection.saidPid() && !isPooled) await requireOwnBackend(execInTime, address, connectMs)
    const given = Object.entries(address.parameters).map(([name, value]) =>
      ask(sql`SELECT set_config(${name}, ${value}, false)`).catch(orWrongParameter),
    )
    await Promise.all([...given, execInTime(settings(limits, address.parameters))])
    return { pid, history, isPooled: pid !== connection.saidPid() }
  }
  const opened = await opening().catch((error) => {
    drop()
    throw error
  })
  let late: Promise<unknown> | undefined

  return {
    limits,
    /** The process id of its server backend, and the history that this is in. */
    ...opened,
    drop,

    /** Sends one or more statements verbatim. */
    exec,

    /** Sends a statement without waiting for earlier ones (pipelining). */
    query: (query: Query, limitMs?: number) => ask<Row>(query, limitMs),

    /** As `query`, but equal rows yield the same object. */
    read: <T>(query: Query, make: Make<T>, limitMs?: number) => ask(query, limitMs, make),

    /** As `query`, but the caller waits no longer than this. The session cannot be used again until `late` has resolved. */
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

    /** Resolves with the answer that did not come in time, or when the connection ends. */
    late: () => late,

    isLost: () => loss !== undefined,

    /** Called once when the connection is lost. */
    whenLost(lose: () => void) {
      if (loss === undefined) losers.add(lose)
      else lose()
    },

    /** Settles as the work does, or rejects if the connection is lost first. */
    async whileAlive<T>(work: Promise<T>): Promise<T> {
      const { promise, reject } = Promise.withResolvers<never>()
      if (loss === undefined) losers.add(reject)
      else reject(loss)
      try {
        return await Promise.race([work, promise])
      } finally {
        losers.delete(reject)
      }
    },

    end: () => connection.end(limits.closeMs),
  }
}

/** A pooler without a free connection lets its clients wait where a server would refuse them. */
const orScarce = (error: unknown): never => {
  if (!(error instanceof ConnectionLost)) throw error
  throw storageUnavailable(
    Object.assign(new Error('the pooler has no connection to give'), { code: '53300' }),
  )
}

/** An error in what the URL asks of the server: no restart mends it. */
const orWrongParameter = (error: unknown): never => {
  if (!(error instanceof ServerError && wrongParameter.test(error.code))) throw error
  throw new DataUnusable(
    'wrongParameter',
    `DATABASE_URL asks for what the server refuses: ${error.message}.`,
    error,
  )
}

/** Unknown, with a value that it cannot have, not to be changed in a session, or not by this role. */
const wrongParameter = /^(42704|22023|55P02|42501)$/

/** By set_config, and not when the connection opens: a pooler would refuse them there. */
const settings = (limits: Limits, given: Address['parameters']) => {
  const own = Object.entries({
    // If a BEGIN fails, the statements sent after it must not write outside a transaction.
    default_transaction_read_only: 'on',
    default_transaction_isolation: 'read committed',
    // With a limit, an index of texts finds only some of the rows.
    gin_fuzzy_search_limit: '0',
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
    idle_in_transaction_session_timeout: String(limits.idleMs),
    // One of the warnings says that a commit may not be durable.
    client_min_messages: 'warning',
  }).filter(([name]) => given[name] === undefined)
  const parts = own.map(([name, value]) => `set_config('${name}', '${value}', false)`)
  return `SELECT ${[...parts, durably].join()}`
}

/** Whatever the server, the role or the URL sets, a commit is answered only when it is durable; `remote_apply` is stricter. */
const durably = `set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`

const who = 'SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid'

/** The checkpoint in the control file may still be that of before a promotion; what is written now is not. */
const withHistory = `${who}, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`

/** Only a primary makes its commits as durable as promised. */
const primaryOf = async (opened: Promise<readonly Row[]>) => {
  const [row] = await opened
  if (row?.standby !== false) throw storageUnavailable(new Error('the server is a standby'))
  const { pid, system, timeline } = row
  const history: History | undefined = system
    ? { system: String(system), timeline: String(timeline) }
    : undefined
  return { pid: Number(pid), history }
}

const textLimit = 1_000

const known = new Map<string, string>()

/** The statement as the server requires it, with numbered placeholders. */
const numbered = (text: string): string => {
  const found = known.get(text)
  if (found !== undefined) return found
  const made = withNumbers(text)
  if (known.size >= textLimit) known.clear()
  known.set(text, made)
  return made
}

/** A `?` in a string, a quoted name or a comment is not a placeholder. */
const token = /'(?:[^']|'')*'|"[^"]*"|--.*|\?/g

const withNumbers = (text: string): string => {
  let count = 0
  return text.replace(token, (found) => (found === '?' ? `$${++count}` : found))
}
