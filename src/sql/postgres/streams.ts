import { once } from '#core/once.ts'
import { overloaded, storageUnavailable } from '#core/problem.ts'
import type { Make, Row } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import type { Query } from '#sql/query.ts'
import { readerPauses } from '#sql/reader-pauses.ts'
import { slots } from '#sql/slots.ts'
import { type Piece, type Turns, turns } from '#sql/turns.ts'
import type { Limits } from './limits.ts'
import type { Lease, Pool } from './pool.ts'
import type { Session } from './session.ts'

interface StreamsParts {
  readonly limits: Limits
  readonly sessions: Pool
  readonly observer: Observer
  /** Reads all rows of one statement. */
  readonly whole: <T>(query: Query, make: Make<T>) => Promise<readonly T[]>
}

/** Rows that fit in one batch are read by one statement; more are read through a cursor, in its own transaction. */
export const streams = ({ limits, sessions, observer, whole }: StreamsParts) => {
  const streamTurns = turns()
  const { maxWaiting, streamWaitMs: waitMs } = limits
  const places = slots({ places: limits.streams, maxWaiting, waitMs, refusal: () => overloaded() })
  observer.poolOpened?.('streams', places)

  return async function* stream<T>(
    query: Query,
    make: Make<T>,
  ): AsyncGenerator<readonly T[], void, undefined> {
    const first = await whole({ ...query, text: `${query.text} LIMIT ${limits.batchRows + 1}` }, make)
    if (first.length <= limits.batchRows) return yield first
    await places.take()
    observer.streamsOpen?.(places.taken())
    const ended = once(() => {
      places.release()
      observer.streamsOpen?.(places.taken())
    })
    try {
      const lease = await sessions.take()
      const isWaitedFor = () => places.waiting() > 0 || sessions.places.waiting() > 0
      for await (const rows of cursorOn({ lease, query, turns: streamTurns, isWaitedFor, ended }))
        yield rows.map((row) => make(row))
    } finally {
      ended()
    }
  }
}

interface CursorParts {
  readonly lease: Lease
  readonly query: Query
  readonly turns: Turns
  readonly isWaitedFor: () => boolean
  readonly ended: () => void
}

async function* cursorOn({ lease, query, turns, isWaitedFor, ended }: CursorParts) {
  const { session, release } = lease
  const { limits } = session
  const next = nextOf(session, limits.batchRows)
  let open = true
  let isFirst = true
  /** Also runs if the reader never asks for the next batch. */
  const end = () => {
    open = false
    session.drop()
    release()
    ended()
  }
  const pauses = readerPauses({ limits, isWaitedFor, end })
  try {
    session.exec(beginFor(limits)).catch(() => session.drop())
    const opened = session.query({ ...query, text: `DECLARE streamed NO SCROLL CURSOR FOR ${query.text}` })
    let pending = next()
    await opened
    for (;;) {
      const rows = await pending
      const isLast = rows.length < limits.batchRows
      // The next batch is fetched while this one is being sent.
      if (!isLast) pending = next()
      for await (const { from, to } of isFirst && isLast ? [whole(rows)] : turns.pieces(rows.length)) {
        pauses.begin()
        yield rows.slice(from, to)
        pauses.finish(to - from)
        if (!open) throw storageUnavailable(new Error('a stream was read too slowly'))
      }
      isFirst = false
      if (isLast) return
    }
  } finally {
    pauses.stop()
    session.exec('ROLLBACK').catch(() => session.drop())
    release()
  }
}

/**
 * By default the server would end a transaction that is idle between two batches for longer than `idleMs`. Here
 * `readerPauses` decides how long a reader may pause.
 */
const beginFor = ({ streamMs }: Limits) =>
  `BEGIN READ ONLY; SET LOCAL idle_in_transaction_session_timeout = ${streamMs}`

const whole = ({ length }: readonly Row[]): Piece => ({ from: 0, to: length })

const nextOf = (session: Session, batchRows: number) => (): Promise<readonly Row[]> => {
  const batch = session.exec(`FETCH ${batchRows} FROM streamed`)
  // A reader that leaves early leaves behind a batch that nobody awaits.
  batch.catch(() => undefined)
  return batch
}
