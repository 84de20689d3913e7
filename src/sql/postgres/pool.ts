import { once } from '#core/once.ts'
import { storageUnavailable } from '#core/problem.ts'
import type { Make } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import { slots } from '#sql/slots.ts'
import { hostsOf } from './hosts.ts'
import type { Limits } from './limits.ts'
import { type Notified, openSession, type Session } from './session.ts'

export interface Lease {
  readonly session: Session
  release(): void
}

export type Pool = ReturnType<typeof pool>

/** A bounded number of connections to the primary, whichever of the hosts it is. */
export const pool = (url: string, limits: Limits) => {
  const hosts = hostsOf(url)
  const { maxWaiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('every connection is in use'))
  const places = slots({ places: limits.sessions, maxWaiting, waitMs, refusal })
  const idle: Session[] = []
  let primary = 0
  let closed = false

  /** Tries the last known primary first. */
  const open = async (notified?: Notified): Promise<Session> => {
    let failure: unknown
    for (let count = 0; count < hosts.length; count++) {
      const index = (primary + count) % hosts.length
      const host = hosts[index]
      try {
        if (!host) continue
        const session = await openSession({ url, host, limits, notified })
        primary = index
        return session
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  const alive = () => {
    let session = idle.pop()
    while (session?.isLost()) session = idle.pop()
    return session
  }

  const take = async (): Promise<Lease> => {
    await places.take()
    try {
      if (closed) throw storageUnavailable(new Error('the database is closed'))
      const session = alive() ?? (await open())
      return { session, release: once(() => giveBack(session)) }
    } catch (error) {
      places.release()
      throw error
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

    /** A long read. */
    async read<T>(query: Query, make: Make<T>): Promise<readonly T[]> {
      const { session, release } = await take()
      try {
        return (await session.read(query, make)).rows
      } finally {
        release()
      }
    },

    /** Waits a while for the sessions in use. */
    async close() {
      closed = true
      await Promise.allSettled(Array.from({ length: limits.sessions }, () => places.take()))
      await Promise.all(idle.map((session) => session.end()))
    },
  }
}
