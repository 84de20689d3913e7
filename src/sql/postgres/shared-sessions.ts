import { storageUnavailable } from '#core/problem.ts'
import type { RowMapper } from '#sql/database.ts'
import { frozen } from '#sql/frozen.ts'
import type { Query } from '#sql/query.ts'
import { isOutOfConnections } from './errors.ts'
import { gathering } from './gathering.ts'
import type { Limits } from './limits.ts'
import type { Pool } from './pool.ts'
import type { Session } from './session.ts'

/** Undefined if there is no shared connection. */
type Opening = Promise<Session> | undefined

/** The result for all callers of the same query in one turn. */
interface Shared {
  readonly mapRow: RowMapper<unknown>
  readonly rows: Promise<readonly unknown[]>
}

/**
 * Connections that all short reads share (decision 0034). Statements are pipelined: the statements of one turn are sent
 * together, behind earlier ones, and nobody waits for a free connection.
 */
export const sharedSessions = (pool: Pool, limits: Limits) => {
  const opened: Opening[] = Array.from({ length: limits.sharedSessions })
  let turn = 0
  let isClosed = false

  const openAt = (place: number): Promise<Session> => {
    const opening = pool.openUnpooled()
    const forget = () => {
      if (opened[place] === opening) opened[place] = undefined
    }
    opening.then((session) => session.whenLost(forget), forget)
    opened[place] = opening
    return opening
  }

  const next = (): Opening => {
    if (pool.isEmpty()) return undefined
    turn = (turn + 1) % opened.length
    return opened[turn] ?? openAt(turn)
  }

  const sendOn = async <T>(opening: Opening, query: Query, mapRow: RowMapper<T>): Promise<readonly T[]> => {
    if (isClosed) throw storageUnavailable(new Error('the database is closed'))
    const session = await opening?.catch((error) => {
      if (!isOutOfConnections(error)) throw error
    })
    if (!session) return pool.read(query, mapRow, limits.readMs)
    try {
      return (await session.read(query, mapRow, limits.readMs)).rows
    } finally {
      // Idle connections may be as dead as this one.
      if (session.isLost()) pool.endIdle()
    }
  }

  /** This turn's queries without parameters, by their text. */
  const asked = new Map<string, Shared>()

  const sending = gathering<(opening: Opening) => void>({
    runs: Number.POSITIVE_INFINITY,
    most: Number.POSITIVE_INFINITY,
    run: async (sends) => {
      asked.clear()
      const opening = next()
      for (const send of sends) send(opening)
    },
  })

  const sendLater = <T>(query: Query, mapRow: RowMapper<T>) =>
    new Promise<readonly T[]>((resolve) => {
      sending.add((opening) => resolve(sendOn(opening, query, mapRow)))
    })

  return {
    /** Sends a query now. */
    send: <T>(query: Query, mapRow: RowMapper<T>) => sendOn(next(), query, mapRow),

    /** Sends a query at the end of this turn, together with the turn's others. Equal queries without parameters are sent once. */
    read<T>(query: Query, mapRow: RowMapper<T>): Promise<readonly T[]> {
      if (query.values.length > 0) return sendLater(query, mapRow)
      const known = asked.get(query.text)
      if (known?.mapRow === mapRow) return known.rows as Promise<readonly T[]>
      const rows = sendLater(query, mapRow).then(frozen)
      asked.set(query.text, { mapRow, rows })
      return rows
    },

    async close() {
      isClosed = true
      await Promise.all(
        opened.map((opening) => opening?.then((session) => session.end()).catch(() => undefined)),
      )
    },
  }
}
