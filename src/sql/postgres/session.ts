import { storageUnavailable } from '#core/problem.ts'
import type { Make, Row } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import type { Host } from './hosts.ts'
import type { Limits } from './limits.ts'
import { numbered } from './text.ts'
import { addressOf } from './wire/address.ts'
import type { Result } from './wire/asked.ts'
import { connect } from './wire/connection.ts'

export interface Session {
  readonly limits: Limits
  /** What the server calls it. */
  readonly pid: number
  /**
   * Sends a statement after those before it, without waiting for them. Those of one turn of the event loop share what
   * becomes of them: what stands behind one that fails is not done.
   */
  query(query: Query, limitMs?: number): Promise<Result<Row>>
  /** As query, of what changes nothing: one that fails harms no other. What is made of the same row is the same. */
  read<T>(query: Query, make: Make<T>): Promise<Result<T>>
  /** Sends one or more statements as they stand. */
  say(text: string, limitMs?: number): Promise<readonly Row[]>
  /** As query, for whoever waits no longer than this. Nothing else can be asked until `late` has come. */
  queryInTime(query: Query, limitMs: number): Promise<Result<Row>>
  /** The answer that did not come in time, or the end of the connection. */
  late(): Promise<unknown> | undefined
  /** Rejects when the connection is lost. It remembers all who wait for it until then: for a single work use `whileAlive`. */
  readonly lost: Promise<never>
  /** As the work ends, or rejects when the connection is lost before. */
  whileAlive<T>(work: Promise<T>): Promise<T>
  isLost(): boolean
  /** For how long the oldest question has had no answer. */
  silentMs(): number
  /** Something was already asked in this turn: what is asked now goes out with it. */
  isGathering(): boolean
  /** What the server warned of since it was asked last. */
  takeWarning(): string | undefined
  drop(): void
  end(): Promise<void>
}

export type Heard = (topic: string, payload: string) => void

interface SessionParts {
  readonly url: string
  readonly host: Host
  readonly limits: Limits
  readonly heard?: Heard | undefined
}

/** One connection, to a primary. */
export const openSession = async ({ url, host, limits, heard }: SessionParts): Promise<Session> => {
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  let isLost = false
  let warning: string | undefined
  const onLoss = new Set<(error: unknown) => void>()
  const closed = () => {
    isLost = true
    const loss = storageUnavailable(new Error('the connection was lost'))
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
  const warned = (said: string) => {
    if (!said.startsWith(nothingToRollBack)) warning = said
  }
  const { connectMs, answerMs } = limits
  const parameters = parametersOf(limits)
  const hearing = { notified: heard, warned, closed }
  const connection = await connect(addressOf(url, host), { parameters, connectMs, ...hearing })
  const drop = () => connection.destroy(new Error('it was dropped'))

  const ask = <T>(
    { text, values }: Query,
    how: { make?: Make<T>; limitMs?: number; isRepeatable?: boolean },
  ) => connection.ask<T>({ text: numbered(text), values, limitMs: answerMs, ...how })

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
    query: (query, limitMs = answerMs) => ask<Row>(query, { limitMs }),
    read: (query, make) => ask(query, { make, isRepeatable: true }),
    say: async (text, limitMs = answerMs) => (await connection.say(text, limitMs)).rows as readonly Row[],
    queryInTime: (query, limitMs) => inTime(ask<Row>(query, { limitMs: limits.lateCommitMs }), limitMs),
    late: () => late,
    lost: lost.promise,
    whileAlive,
    isLost: () => isLost,
    silentMs: connection.silentMs,
    isGathering: connection.isGathering,
    takeWarning: () => {
      const taken = warning
      warning = undefined
      return taken
    },
    drop,
    end: () => connection.end(limits.closeMs),
  }
  return promising(session)
}

/** The warning after a ROLLBACK that found no transaction: it was sent only to be sure. */
const nothingToRollBack = '25P01'

const parametersOf = (limits: Limits) => ({
  application_name: 'rollcall',
  // If a BEGIN fails, the statements sent after it must not be written outside a transaction.
  default_transaction_read_only: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: String(limits.statementMs),
  lock_timeout: String(limits.lockMs),
  idle_in_transaction_session_timeout: String(limits.idleMs),
})

/**
 * Whatever the server, the role or the URL sets, a commit is answered only when it is durable; `remote_apply`, which asks
 * for more, is kept. Warnings must be sent: one of them says that a commit may not be durable.
 */
const opening = `
  SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid,
    set_config('client_min_messages', 'warning', false), set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`

/** Only a primary, and as durable as was promised. */
const promising = async (session: Omit<Session, 'pid'>): Promise<Session> => {
  try {
    const [row] = await session.say(opening)
    if (row?.standby === false) return { ...session, pid: Number(row.pid) }
    throw storageUnavailable(new Error('the server is a standby'))
  } catch (error) {
    session.drop()
    throw error
  }
}
