import { storageUnavailable } from '#core/problem.ts'
import type { Make, Row } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import type { Host } from './hosts.ts'
import type { Limits } from './limits.ts'
import { addressOf } from './wire/address.ts'
import { connect } from './wire/connection.ts'
import type { Result } from './wire/request.ts'

export type Session = Awaited<ReturnType<typeof openSession>>

export type Notified = (topic: string, payload: string) => void

interface SessionParts {
  readonly url: string
  readonly host: Host
  readonly limits: Limits
  readonly notified?: Notified | undefined
}

/** One connection, to a primary. */
export const openSession = async ({ url, host, limits, notified }: SessionParts) => {
  let loss: unknown
  const losers = new Set<(loss: unknown) => void>()
  const closed = (cause: unknown) => {
    loss = storageUnavailable(cause)
    for (const lose of losers) lose(loss)
  }
  const { connectMs, answerMs } = limits
  const giveUpAtMs = performance.now() + connectMs
  const parameters = parametersOf(limits)
  const connection = await connect(addressOf(url, host), { parameters, connectMs, notified, closed })

  const ask = <T>({ text, values }: Query, limitMs = answerMs, make?: Make<T>) =>
    connection.ask<T>({ text: numbered(text), values, limitMs, make })
  const exec = async (text: string, limitMs = answerMs) =>
    (await connection.exec(text, limitMs)).rows as readonly Row[]
  const drop = () => connection.destroy(new Error('it was dropped'))
  const pid = await pidOfPrimary(exec(opening, giveUpAtMs - performance.now())).catch((error) => {
    drop()
    throw error
  })
  let late: Promise<unknown> | undefined

  return {
    limits,
    /** The process id of its server backend. */
    pid,
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

/** Only a primary makes its commits as durable as promised. */
const pidOfPrimary = async (opened: Promise<readonly Row[]>): Promise<number> => {
  const [row] = await opened
  if (row?.standby !== false) throw storageUnavailable(new Error('the server is a standby'))
  return Number(row.pid)
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
