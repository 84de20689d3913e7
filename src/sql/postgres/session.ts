import { storageUnavailable } from '#core/problem.ts'
import type { Make, Row } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import type { Host } from './hosts.ts'
import type { Limits } from './limits.ts'
import { numbered } from './text.ts'
import { addressOf } from './wire/address.ts'
import { connect } from './wire/connection.ts'
import type { Result } from './wire/request.ts'

export interface Session {
  readonly limits: Limits
  /** The process id of its server backend. */
  readonly pid: number
  /** Sends a statement without waiting for earlier ones (pipelining). */
  query(query: Query, limitMs?: number): Promise<Result<Row>>
  /** As `query`, but equal rows yield the same object. */
  read<T>(query: Query, make: Make<T>, limitMs?: number): Promise<Result<T>>
  /** Sends one or more statements verbatim. */
  exec(text: string, limitMs?: number): Promise<readonly Row[]>
  /** As `query`, but the caller waits no longer than this. The session cannot be used again until `late` has resolved. */
  queryInTime(query: Query, limitMs: number): Promise<Result<Row>>
  /** Resolves with the answer that did not come in time, or when the connection ends. */
  late(): Promise<unknown> | undefined
  /** Rejects when the connection is lost. Waiters stay referenced until then, so use `whileAlive` for a single task. */
  readonly lost: Promise<never>
  /** Settles as the work does, or rejects if the connection is lost first. */
  whileAlive<T>(work: Promise<T>): Promise<T>
  isLost(): boolean
  drop(): void
  end(): Promise<void>
}

export type Notified = (topic: string, payload: string) => void

interface SessionParts {
  readonly url: string
  readonly host: Host
  readonly limits: Limits
  readonly notified?: Notified | undefined
}

/** One connection, to a primary. */
export const openSession = async ({ url, host, limits, notified }: SessionParts): Promise<Session> => {
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  let isLost = false
  const onLoss = new Set<(error: unknown) => void>()
  const closed = (cause: unknown) => {
    isLost = true
    const loss = storageUnavailable(cause)
    lost.reject(loss)
    for (const lose of onLoss) lose(loss)
  }
  const whileAlive = async <T>(work: Promise<T>): Promise<T> => {
    if (isLost) return Promise.race([work, lost.promise])
    const { promise, reject } = Promise.withResolvers<never>()
    onLoss.add(reject)
    try {
      return await Promise.race([work, promise])
    } finally {
      onLoss.delete(reject)
    }
  }
  const { connectMs, answerMs } = limits
  const giveUpAtMs = performance.now() + connectMs
  const parameters = parametersOf(limits)
  const connection = await connect(addressOf(url, host), { parameters, connectMs, notified, closed })
  const drop = () => connection.destroy(new Error('it was dropped'))

  const ask = <T>({ text, values }: Query, limitMs: number, make?: Make<T>) =>
    connection.ask<T>({ text: numbered(text), values, limitMs, make })

  let late: Promise<unknown> | undefined
  const inTime = async <T>(answer: Promise<T>, limitMs: number): Promise<T> => {
    const timeUp = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late = answer.catch(() => undefined)
      void late.finally(() => {
        late = undefined
      })
      timeUp.reject(storageUnavailable(new Error('no answer in time')))
    }, limitMs)
    try {
      return await Promise.race([answer, timeUp.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  const session: Omit<Session, 'pid'> = {
    limits,
    query: (query, limitMs = answerMs) => ask<Row>(query, limitMs),
    read: (query, make, limitMs = answerMs) => ask(query, limitMs, make),
    exec: async (text, limitMs = answerMs) => (await connection.exec(text, limitMs)).rows as readonly Row[],
    queryInTime: (query, limitMs) => inTime(ask<Row>(query, limits.lateCommitMs), limitMs),
    late: () => late,
    lost: lost.promise,
    whileAlive,
    isLost: () => isLost,
    drop,
    end: () => connection.end(limits.closeMs),
  }
  return requirePrimary(session, giveUpAtMs - performance.now())
}

const parametersOf = (limits: Limits) => ({
  application_name: 'rollcall',
  // If a BEGIN fails, the statements sent after it must not write outside a transaction.
  default_transaction_read_only: 'on',
  default_transaction_isolation: 'read committed',
  // With a limit, an index of texts finds only some of the rows.
  gin_fuzzy_search_limit: '0',
  statement_timeout: String(limits.statementMs),
  lock_timeout: String(limits.lockMs),
  idle_in_transaction_session_timeout: String(limits.idleMs),
})

/**
 * Whatever the server, the role or the URL sets, a commit is answered only when it is durable; `remote_apply`, which is
 * stricter, is kept. Warnings must be enabled: one of them says that a commit may not be durable.
 */
const opening = `
  SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid,
    set_config('client_min_messages', 'warning', false), set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`

/** Requires a primary, and makes its commits as durable as promised. */
const requirePrimary = async (session: Omit<Session, 'pid'>, limitMs: number): Promise<Session> => {
  try {
    const [row] = await session.exec(opening, limitMs)
    if (row?.standby === false) return { ...session, pid: Number(row.pid) }
    throw storageUnavailable(new Error('the server is a standby'))
  } catch (error) {
    session.drop()
    throw error
  }
}
