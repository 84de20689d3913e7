import { once } from '#core/once.ts'
import { storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { RowMapper } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import { isOutOfConnections } from './errors.ts'
import type { Limits } from './limits.ts'
import { primaryConnector } from './primary.ts'
import type { Notified, Session } from './session.ts'

export interface Lease {
  readonly session: Session
  release(): void
}

export type Pool = ReturnType<typeof pool>

/** A bounded number of connections to the primary among the hosts. */
export const pool = (url: string, limits: Limits) => {
  const places = slots({
    places: limits.sessions,
    maxWaiting: limits.maxWaiting,
    waitMs: limits.waitMs,
    refusal: () => storageUnavailable(new Error('every connection is in use')),
  })
  const servers = primaryConnector(url, limits)
  const idle: Session[] = []
  let opened = 0
  let closed = false
  let shortage: unknown
  let shortageTimer: NodeJS.Timeout | undefined

  /** During a shortage, opens no further connection, unless there is none at all. */
  const openUnpooled = async (notified?: Notified): Promise<Session> => {
    if (shortage !== undefined && opened > 0) throw shortage
    try {
      return await servers.open(notified)
    } catch (error) {
      if (isOutOfConnections(error) && !closed) beginShortage(error)
      throw error
    }
  }

  const beginShortage = (error: unknown) => {
    shortage = error
    shortageTimer ??= setTimeout(() => {
      shortage = shortageTimer = undefined
      grow()
    }, limits.shortageMs).unref()
  }

  /** Allows one more connection at a time, so that only one caller fails if the server still has no more. */
  const grow = () => places.setLimit(Math.min(opened + 1, limits.sessions))

  const openPooled = async () => {
    const session = await openUnpooled()
    opened++
    session.whenLost(() => opened--)
    if (places.limit < limits.sessions) grow()
    return session
  }

  const alive = () => {
    let session = idle.pop()
    while (session?.isLost()) session = idle.pop()
    return session
  }

  /** If the server gives no further connection, waits for one of the existing ones. */
  const take = async (): Promise<Lease> => {
    for (;;) {
      await places.take()
      try {
        if (closed) throw storageUnavailable(new Error('the database is closed'))
        const session = alive() ?? (await openPooled())
        return { session, release: once(() => giveBack(session)) }
      } catch (error) {
        places.release()
        if (!isOutOfConnections(error) || opened === 0) throw error
        places.setLimit(opened)
      }
    }
  }

  const giveBack = (session: Session) => {
    if (closed) void session.end()
    else if (!session.isLost()) idle.push(session)
    places.release()
  }

  /** Call when a connection is found dead: idle ones may be dead too, and callers would wait for each in vain. */
  const endIdle = () => {
    for (const session of idle.splice(0)) void session.end()
  }

  return {
    places,
    openUnpooled,
    take,
    endIdle,

    /** Whether no session is open. If the server has only one connection left, it must be a session: a shared one cannot write. */
    isEmpty: () => opened === 0,

    /** For long reads, and for short ones if there is no shared connection. */
    async read<T>(query: Query, mapRow: RowMapper<T>, limitMs?: number): Promise<readonly T[]> {
      const { session, release } = await take()
      try {
        return (await session.read(query, mapRow, limitMs)).rows
      } finally {
        release()
      }
    },

    /** Waits a while for sessions in use. */
    async close() {
      closed = true
      clearTimeout(shortageTimer)
      servers.close()
      await Promise.allSettled(Array.from({ length: places.limit }, () => places.take()))
      await Promise.all(idle.map((session) => session.end()))
    },
  }
}
