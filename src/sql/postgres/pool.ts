import { once } from '#core/once.ts'
import { storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Make } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import { isScarce } from './errors.ts'
import type { Limits } from './limits.ts'
import { primary } from './primary.ts'
import type { Notified, Session } from './session.ts'

export interface Lease {
  readonly session: Session
  release(): void
}

export type Pool = ReturnType<typeof pool>

/** A bounded number of connections to the primary, whichever of the hosts it is. */
export const pool = (url: string, limits: Limits) => {
  const places = slots({
    places: limits.sessions,
    maxWaiting: limits.maxWaiting,
    waitMs: limits.waitMs,
    refusal: () => storageUnavailable(new Error('every connection is in use')),
  })
  const servers = primary(url, limits)
  const idle: Session[] = []
  let opened = 0
  let closed = false
  let scarcity: unknown
  let scarce: NodeJS.Timeout | undefined

  /** While there are no more connections to be had, none is asked for, unless there is none at all. */
  const open = async (notified?: Notified): Promise<Session> => {
    if (scarcity !== undefined && opened > 0) throw scarcity
    try {
      return await servers.open(notified)
    } catch (error) {
      if (isScarce(error) && !closed) beScarce(error)
      throw error
    }
  }

  const beScarce = (error: unknown) => {
    scarcity = error
    scarce ??= setTimeout(() => {
      scarcity = scarce = undefined
      grow()
    }, limits.scarceMs).unref()
  }

  /** One after another, so that only one caller meets a server that still has no more. */
  const grow = () => places.setLimit(Math.min(opened + 1, limits.sessions))

  const openOwn = async () => {
    const session = await open()
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

  /** If there are fewer connections than asked for, waits for one of those that there are. */
  const take = async (): Promise<Lease> => {
    for (;;) {
      await places.take()
      try {
        if (closed) throw storageUnavailable(new Error('the database is closed'))
        const session = alive() ?? (await openOwn())
        return { session, release: once(() => giveBack(session)) }
      } catch (error) {
        places.release()
        if (!isScarce(error) || opened === 0) throw error
        places.setLimit(opened)
      }
    }
  }

  const giveBack = (session: Session) => {
    if (closed) void session.end()
    else if (!session.isLost()) idle.push(session)
    places.release()
  }

  /** Called when another connection is found dead: idle ones may be dead too, and a caller would wait for each in vain. */
  const endIdle = () => {
    for (const session of idle.splice(0)) void session.end()
  }

  return {
    places,
    open,
    take,
    endIdle,

    /** The first connection of all is one of these: with it alone, everything can be done. */
    isEmpty: () => opened === 0,

    /** A long read, or a short one for which there is no other connection. */
    async read<T>(query: Query, make: Make<T>, limitMs?: number): Promise<readonly T[]> {
      const { session, release } = await take()
      try {
        return (await session.read(query, make, limitMs)).rows
      } finally {
        release()
      }
    },

    /** Waits a while for the sessions in use. */
    async close() {
      closed = true
      clearTimeout(scarce)
      servers.close()
      await Promise.allSettled(Array.from({ length: places.limit }, () => places.take()))
      await Promise.all(idle.map((session) => session.end()))
    },
  }
}
