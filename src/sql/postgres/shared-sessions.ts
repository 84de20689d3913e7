import { storageUnavailable } from '#core/problem.ts'
import type { Make } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import { gathering } from './gathering.ts'
import type { Limits } from './limits.ts'
import type { Pool } from './pool.ts'
import type { Session } from './session.ts'

/**
 * Connections that all short reads share (decision 0034). A statement is sent behind earlier ones (pipelined), together with
 * those of the same turn, and nobody waits for a free connection.
 */
export const sharedSessions = (pool: Pool, limits: Limits) => {
  const opened: (Promise<Session> | undefined)[] = Array.from({ length: limits.sharedSessions })
  let turn = 0
  let isClosed = false

  const openAt = (place: number): Promise<Session> => {
    const opening = pool.open()
    const forget = () => {
      if (opened[place] === opening) opened[place] = undefined
    }
    opening.then(({ lost }) => lost.catch(forget), forget)
    opened[place] = opening
    return opening
  }

  /** Sends it now, on the connection of this turn. */
  const send = async <T>(query: Query, make: Make<T>): Promise<readonly T[]> => {
    if (isClosed) throw storageUnavailable(new Error('the database is closed'))
    const session = await (opened[turn] ?? openAt(turn))
    try {
      return (await session.read(query, make, limits.readMs)).rows
    } finally {
      // Others that are idle may be as dead as this one.
      if (session.isLost()) pool.endIdle()
    }
  }

  const sending = gathering<() => void>({
    runs: Number.POSITIVE_INFINITY,
    most: Number.POSITIVE_INFINITY,
    run: async (sends) => {
      turn = (turn + 1) % opened.length
      for (const sendOne of sends) sendOne()
    },
  })

  return {
    send,

    /** Sends it at the end of this turn of the event loop, together with the others of the turn. */
    read: <T>(query: Query, make: Make<T>) =>
      new Promise<readonly T[]>((resolve) => {
        sending.add(() => resolve(send(query, make)))
      }),

    async close() {
      isClosed = true
      await Promise.all(
        opened.map((opening) => opening?.then((session) => session.end()).catch(() => undefined)),
      )
    },
  }
}
