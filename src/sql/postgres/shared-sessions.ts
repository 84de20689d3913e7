import { storageUnavailable } from '#core/problem.ts'
import type { RowMapper } from '#sql/database.ts'
import { deepFreeze } from '#sql/deep-freeze.ts'
import type { Query } from '#sql/query.ts'
import { batcher } from './batcher.ts'
import { isOutOfConnections } from './errors.ts'
import type { Limits } from './limits.ts'
import type { Pool } from './pool.ts'
import type { Session } from './session.ts'

/** If undefined, reads use a session of the pool. */
type Opening = Promise<Session> | undefined

/** The result for all callers of the same query in one turn of the event loop. */
interface SharedResult {
  readonly mapRow: RowMapper<unknown>
  readonly rows: Promise<readonly unknown[]>
}

/**
 * Connections that all short reads share (decision 0034). Statements are pipelined: the statements of one turn of the event loop
 * are sent together, without waiting for earlier answers. So no read waits for a free connection.
 */
export const sharedSessions = (pool: Pool, limits: Limits) => {
  const openings: Opening[] = Array.from({ length: limits.sharedSessions })
  let lastUsed = 0
  let isClosed = false

  const openAt = (index: number): Promise<Session> => {
    const opening = pool.openUnpooled()
    const forget = () => {
      if (openings[index] === opening) openings[index] = undefined
    }
    opening.then((session) => session.whenLost(forget), forget)
    openings[index] = opening
    return opening
  }

  const nextOpening = (): Opening => {
    if (pool.hasNoSession()) return undefined
    lastUsed = (lastUsed + 1) % openings.length
    return openings[lastUsed] ?? openAt(lastUsed)
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
      // The idle sessions may be as dead as this connection.
      if (session.isLost()) pool.endIdle()
    }
  }

  /** The results of this turn's queries without parameters, by the text of the query. */
  const resultsOfTurn = new Map<string, SharedResult>()

  const turnBatcher = batcher<(opening: Opening) => void>({
    maxConcurrent: Number.POSITIVE_INFINITY,
    maxItems: Number.POSITIVE_INFINITY,
    runBatch: async (sends) => {
      resultsOfTurn.clear()
      const opening = nextOpening()
      for (const send of sends) send(opening)
    },
  })

  const sendAtEndOfTurn = <T>(query: Query, mapRow: RowMapper<T>) =>
    new Promise<readonly T[]>((resolve) => {
      turnBatcher.add((opening) => resolve(sendOn(opening, query, mapRow)))
    })

  return {
    /** Sends a query at once. */
    sendNow: <T>(query: Query, mapRow: RowMapper<T>) => sendOn(nextOpening(), query, mapRow),

    /** Sends a query at the end of this turn, together with the other queries of the turn. Equal queries without parameters are sent once. */
    readTogether<T>(query: Query, mapRow: RowMapper<T>): Promise<readonly T[]> {
      if (query.values.length > 0) return sendAtEndOfTurn(query, mapRow)
      const shared = resultsOfTurn.get(query.text)
      if (shared?.mapRow === mapRow) return shared.rows as Promise<readonly T[]>
      const rows = sendAtEndOfTurn(query, mapRow).then(deepFreeze)
      resultsOfTurn.set(query.text, { mapRow, rows })
      return rows
    },

    async close() {
      isClosed = true
      await Promise.all(
        openings.map((opening) => opening?.then((session) => session.end()).catch(() => undefined)),
      )
    },
  }
}
