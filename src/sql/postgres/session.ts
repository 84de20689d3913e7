import postgres from 'postgres'
import { storageUnavailable } from '#core/problem.ts'
import type { Row } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import type { Host } from './hosts.ts'
import { limits } from './limits.ts'
import { cut } from './text.ts'

export interface Rows extends ReadonlyArray<Row> {
  /** How many rows the statement changed or answered. */
  readonly count: number
  readonly command: string
}

export interface Session {
  /** What the server calls it. */
  readonly pid: number
  /** Sends a statement after those before it, without waiting for them. */
  query(query: Query): Promise<Rows>
  /** Sends one or more statements as they stand. */
  say(text: string, limitMs?: number): Promise<Rows>
  /** As say, for whoever waits no longer than this. Nothing else can be asked until `late` has come. */
  sayInTime(text: string, limitMs: number): Promise<Rows>
  /** The answer that did not come in time, or the end of the connection. */
  late(): Promise<unknown> | undefined
  /** Rejects when the connection is lost. */
  readonly lost: Promise<never>
  isLost(): boolean
  /** What the server warned of since it was asked last. */
  takeWarning(): string | undefined
  drop(): void
  end(): Promise<void>
}

export type Heard = (topic: string, payload: string) => void

/**
 * One connection, to a primary. It is a client of its own: so it is known which statement a warning is about, and
 * no statement of a transaction goes to another connection unseen when this one is lost.
 */
export const openSession = async (url: string, { host, port }: Host, onnotify?: Heard): Promise<Session> => {
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  let isLost = false
  let warning: string | undefined
  const onclose = () => {
    isLost = true
    lost.reject(storageUnavailable(new Error('the connection was lost')))
  }
  // As lists, or the client would look for a port in an IPv6 address. Its types know neither them nor onnotify.
  const address = { host: [host], port: [port], onnotify } as object
  const options = { ...clientOptions, ...address, onclose, onnotice }
  function onnotice(notice: postgres.Notice) {
    if (notice.severity === 'WARNING') warning = `${notice.code} ${notice.message}`
  }
  const client = postgres(url, options)

  const drop = () => {
    onclose()
    client.end({ timeout: 0 }).catch(() => undefined)
  }
  const answered = async (asked: postgres.PendingQuery<postgres.Row[]>, limitMs: number): Promise<Rows> => {
    if (isLost) return lost.promise
    const timer = limitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(drop, limitMs)
    try {
      return (await asked.execute()) as unknown as Rows
    } finally {
      clearTimeout(timer)
    }
  }

  let late: Promise<unknown> | undefined
  const inTime = async (answer: Promise<Rows>, limitMs: number): Promise<Rows> => {
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
    query: ({ text, values }) => answered(client(cut(text), ...(values as never[])), limits.answerMs),
    say: (text, limitMs = limits.answerMs) => answered(client(cut(text)).simple(), limitMs),
    sayInTime: (text, limitMs) => inTime(answered(client(cut(text)).simple(), limits.lateCommitMs), limitMs),
    late: () => late,
    lost: lost.promise,
    isLost: () => isLost,
    takeWarning: () => {
      const taken = warning
      warning = undefined
      return taken
    },
    drop,
    end: () => client.end({ timeout: limits.closeSeconds }),
  }
  return refuseStandby(session)
}

const clientOptions = {
  max: 1,
  idle_timeout: 0,
  max_lifetime: null,
  connect_timeout: limits.connectSeconds,
  fetch_types: false,
  types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
  connection: {
    application_name: 'rollcall',
    synchronous_commit: 'on',
    // Should a BEGIN fail, what was sent after it must not be written by itself.
    default_transaction_read_only: true,
    default_transaction_isolation: 'read committed' as const,
    statement_timeout: limits.statementMs,
    lock_timeout: limits.lockMs,
    idle_in_transaction_session_timeout: limits.idleMs,
  },
}

const refuseStandby = async (session: Omit<Session, 'pid'>): Promise<Session> => {
  try {
    const [row] = await session.say('SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid')
    if (row?.standby === false) return { ...session, pid: Number(row.pid) }
    throw storageUnavailable(new Error('the server is a standby'))
  } catch (error) {
    session.drop()
    throw error
  }
}
