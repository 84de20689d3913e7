import type { Row, RowMapper } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import { pacedStreams } from '#sql/paced-streams.ts'
import type { Query } from '#sql/query.ts'
import type { Limits } from './limits.ts'
import type { Pool } from './pool.ts'

interface StreamsOptions {
  readonly limits: Limits
  readonly sessions: Pool
  readonly observer: Observer
  /** Reads all rows of one statement. */
  readonly readAll: <T>(query: Query, mapRow: RowMapper<T>) => Promise<readonly T[]>
}

/** If the rows fit in one batch, reads them by one statement. Otherwise reads them through a cursor, in a transaction. */
export const streams = ({ limits, sessions, observer, readAll }: StreamsOptions) => {
  const { batchRows, streamWaitMs: waitMs } = limits
  const hasWaitingCaller = () => sessions.sessionSlots.waiting() > 0
  // Limits the number of streams and drops slow readers.
  const runStream = pacedStreams({ limits, waitMs, observer, hasWaitingCaller })

  return async function* stream<T>(
    query: Query,
    mapRow: RowMapper<T>,
  ): AsyncGenerator<readonly T[], void, undefined> {
    const first = await readAll({ ...query, text: `${query.text} LIMIT ${batchRows + 1}` }, mapRow)
    if (first.length <= batchRows) return yield first
    for await (const { batch, from, to } of runStream(() => openCursor(sessions, query, limits)))
      yield batch.rows.slice(from, to).map((row) => mapRow(row))
  }
}

const openCursor = async (sessions: Pool, query: Query, { batchRows, streamMs }: Limits) => {
  const { session, release } = await sessions.take()
  session.exec(beginFor(streamMs)).catch(() => session.drop())
  const opened = session.query({ ...query, text: `DECLARE streamed NO SCROLL CURSOR FOR ${query.text}` })
  return {
    async next() {
      const fetched: Promise<readonly Row[]> = session.exec(`FETCH ${batchRows} FROM streamed`)
      const [rows] = await Promise.all([fetched, opened])
      return { rows, size: rows.length, isLast: rows.length < batchRows }
    },

    end(isLate: boolean) {
      if (isLate) session.drop()
      else session.exec('ROLLBACK').catch(() => session.drop())
      release()
    },
  }
}

/** Replaces the shorter limit for idle transactions of each session, because a reader may pause. `sql/reader-pauses.ts` limits these pauses. */
const beginFor = (streamMs: number) =>
  `BEGIN READ ONLY; SET LOCAL idle_in_transaction_session_timeout = ${streamMs}`
