import { once } from '#core/once.ts'
import { storageUnavailable } from '#core/problem.ts'
import type { Make } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import { type Slots, slots } from '#sql/slots.ts'
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
  const placesFor = (places: number) => slots({ places, maxWaiting, waitMs, refusal })
  const [places, reads] = [placesFor(limits.sessions), placesFor(limits.reads)]
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

  const take = async (among = places): Promise<Lease> => {
    await among.take()
    try {
      if (closed) throw storageUnavailable(new Error('the database is closed'))
      const session = alive() ?? (await open())
      return { session, release: once(() => giveBack(session, among)) }
    } catch (error) {
      among.release()
      throw error
    }
  }

  const giveBack = (session: Session, among: Slots) => {
    if (closed) void session.end()
    else if (!session.isLost()) idle.push(session)
    among.release()
  }

  /** Called when another connection is found dead: idle ones may be dead too, and a caller would wait for each in vain. */
  const endIdle = () => {
    for (const session of idle.splice(0)) void session.end()
  }

  return {
    places,
    /** Kept for short reads, which wait for nothing else. */
    reads,
    open,
    take,
    endIdle,

    async read<T>(query: Query, make: Make<T>): Promise<readonly T[]> {
      const { session, release } = await take()
      try {
        return (await session.read(query, make)).rows
      } finally {
        release()
      }
    },

    async readShortly<T>(query: Query, make: Make<T>): Promise<readonly T[]> {
      const { session, release } = await take(reads)
      try {
        return (await session.read(query, make, limits.readMs)).rows
      } finally {
        if (session.isLost()) endIdle()
        release()
      }
    },

    /** Waits a while for the sessions in use. */
    async close() {
      closed = true
      const all = [places, reads].flatMap((some) => Array.from({ length: some.limit }, () => some.take()))
      await Promise.allSettled(all)
      await Promise.all(idle.map((session) => session.end()))
    },
  }
}
