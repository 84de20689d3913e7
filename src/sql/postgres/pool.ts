import { once } from '#core/once.ts'
import { storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { RowMapper } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import { isOutOfConnections } from './errors.ts'
import type { Limits } from './limits.ts'
import { primaryConnector } from './primary.ts'
import type { OnNotification, Session } from './session.ts'

export interface Lease {
  readonly session: Session
  release(): void
}

export type Pool = ReturnType<typeof pool>

/** A bounded number of connections to the primary among the hosts. */
export const pool = (url: string, limits: Limits) => {
  const { sessions: places, maxWaiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('every connection is in use'))
  const sessionSlots = slots({ places, maxWaiting, waitMs, refusal })
  const connector = primaryConnector(url, limits)
  const idle: Session[] = []
  let openCount = 0
  let isClosed = false
  let shortageError: unknown
  let shortageTimer: NodeJS.Timeout | undefined

  /** During a shortage, opens no further connection, unless no session is open. */
  const openUnpooled = async (onNotification?: OnNotification): Promise<Session> => {
    if (shortageError !== undefined && openCount > 0) throw shortageError
    try {
      return await connector.open(onNotification)
    } catch (error) {
      if (isOutOfConnections(error) && !isClosed) beginShortage(error)
      throw error
    }
  }

  const beginShortage = (error: unknown) => {
    shortageError = error
    shortageTimer ??= setTimeout(() => {
      shortageError = shortageTimer = undefined
      allowOneMore()
    }, limits.shortageMs).unref()
  }

  /** Allows one more connection at a time, so that only one caller fails if the server still has no more. */
  const allowOneMore = () => sessionSlots.setLimit(Math.min(openCount + 1, limits.sessions))

  const openPooled = async () => {
    const session = await openUnpooled()
    openCount++
    session.whenLost(() => openCount--)
    if (sessionSlots.limit < limits.sessions) allowOneMore()
    return session
  }

  const takeIdle = () => {
    let session = idle.pop()
    while (session?.isLost()) session = idle.pop()
    return session
  }

  /** If the server accepts no further connection, waits for one of the existing ones. */
  const take = async (): Promise<Lease> => {
    for (;;) {
      await sessionSlots.take()
      try {
        if (isClosed) throw storageUnavailable(new Error('the database is closed'))
        const session = takeIdle() ?? (await openPooled())
        return { session, release: once(() => giveBack(session)) }
      } catch (error) {
        sessionSlots.release()
        if (!isOutOfConnections(error) || openCount === 0) throw error
        sessionSlots.setLimit(openCount)
      }
    }
  }

  const giveBack = (session: Session) => {
    if (isClosed) void session.end()
    else if (!session.isLost()) idle.push(session)
    sessionSlots.release()
  }

  /** Call when a connection turns out to be dead. Idle connections may be dead too, and callers would wait for each in vain. */
  const endIdle = () => {
    for (const session of idle.splice(0)) void session.end()
  }

  return {
    sessionSlots,
    openUnpooled,
    take,
    endIdle,

    /** True if no session is open. If the server has only one connection left, it must become a session, because a shared connection cannot write. */
    hasNoSession: () => openCount === 0,

    /** For long reads, and for short reads if there is no shared connection. */
    async read<T>(query: Query, mapRow: RowMapper<T>, limitMs?: number): Promise<readonly T[]> {
      const { session, release } = await take()
      try {
        return (await session.read(query, mapRow, limitMs)).rows
      } finally {
        release()
      }
    },

    /** Waits for sessions in use, up to the time limit of `take`. */
    async close() {
      isClosed = true
      clearTimeout(shortageTimer)
      connector.close()
      await Promise.allSettled(Array.from({ length: sessionSlots.limit }, () => sessionSlots.take()))
      await Promise.all(idle.map((session) => session.end()))
    },
  }
}
