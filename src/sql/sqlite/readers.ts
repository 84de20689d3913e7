import { once } from '#core/once.ts'
import { overloaded, storageUnavailable } from '#core/problem.ts'
import type { Row } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import type { Query, Value } from '#sql/query.ts'
import { readerPauses } from '#sql/reader-pauses.ts'
import { slots } from '#sql/slots.ts'
import { type Piece, type Turns, turns } from '#sql/turns.ts'
import { rowOf } from './connection.ts'
import { noted } from './errors.ts'
import type { Limits } from './limits.ts'
import type { Batch, ReaderQuestion } from './reader.thread.ts'
import { Thread } from './thread.ts'

interface ReadersOptions {
  readonly path: string
  readonly limits: Limits
  readonly observer: Observer
  /** Whether the WAL is short enough, waiting up to this time: a stream keeps it from restarting for long. */
  readonly logSettled: (waitMs: number) => Promise<boolean>
}

interface StreamedRows {
  readonly rows: readonly Row[]
  /** These are all rows. */
  readonly all: boolean
}

type ReaderThread = Thread<ReaderQuestion, Batch>

/** Threads that scan many rows while this one answers everybody else. */
export const readers = ({ path, limits, observer, logSettled }: ReadersOptions) => {
  const threads = new Set<ReaderThread>()
  const { maxWaiting, waitMs, aimMs } = limits
  const line = { maxWaiting, waitMs, refusal: () => overloaded() }
  const scans = slots({ ...line, places: limits.threads, aimMs })
  const streams = slots({ ...line, places: limits.streams })
  observer.poolOpened?.('scans', scans)
  observer.poolOpened?.('streams', streams)
  const streamTurns = turns()
  let lastId = 0
  let isEnded = false
  let isClosed = false

  const leastBusy = () => {
    if (isClosed || isEnded)
      throw storageUnavailable(new Error(isClosed ? 'the database is closed' : 'the database is opened anew'))
    const [first] = [...threads].sort((one, other) => one.load - other.load)
    if (first && (first.load === 0 || threads.size >= limits.threads)) return first
    const started: ReaderThread = new Thread(new URL('./reader.thread.ts', import.meta.url), path, () =>
      threads.delete(started),
    )
    threads.add(started)
    return started
  }

  const end = async () => {
    isEnded = true
    await Promise.all([...threads].map((thread) => thread.close()))
  }

  return {
    async scan({ text, values }: Query): Promise<Row[]> {
      await scans.take()
      try {
        const found = await scanOn(leastBusy(), { id: ++lastId, ask: 'scan', text, values })
        return rowsOf(found, whole(found))
      } catch (error) {
        throw noted(observer, error)
      } finally {
        scans.release()
      }
    },

    async *stream(query: Query): AsyncGenerator<StreamedRows, void, undefined> {
      await streams.take()
      observer.streamsOpen?.(streams.taken())
      const ended = once(() => {
        streams.release()
        observer.streamsOpen?.(streams.taken())
      })
      const isWaitedFor = () => streams.waiting() > 0
      try {
        if (!(await logSettled(waitMs))) throw overloaded()
        const thread = leastBusy()
        yield* streamOn({ thread, id: ++lastId, query, limits, turns: streamTurns, isWaitedFor, ended })
      } catch (error) {
        throw noted(observer, error)
      } finally {
        ended()
      }
    },

    /** Refuses what is being read, and whatever is asked for until `begin`. */
    end,

    begin() {
      isEnded = false
    },

    /** Afterwards, waiting callers are refused. */
    async close() {
      isClosed = true
      await end()
    },
  }
}

const scanOn = async (thread: ReaderThread, question: ReaderQuestion): Promise<Batch> => {
  thread.load++
  try {
    return await thread.ask(question)
  } finally {
    thread.load--
  }
}

interface StreamParts {
  readonly thread: ReaderThread
  readonly id: number
  readonly query: Query
  readonly limits: Limits
  readonly turns: Turns
  readonly isWaitedFor: () => boolean
  readonly ended: () => void
}

async function* streamOn({ thread, id, query, limits, turns, isWaitedFor, ended }: StreamParts) {
  let open = true
  let isFirst = true
  /** Also runs if the reader never asks for the next batch. */
  const end = () => {
    if (!open) return
    open = false
    pauses.stop()
    thread.load--
    thread.tell({ id, ask: 'end' })
    ended()
  }
  const pauses = readerPauses({ limits, isWaitedFor, end })

  thread.load++
  try {
    let pending = thread.ask({ id, ask: 'stream', text: query.text, values: query.values })
    for (;;) {
      const batch = await pending
      // The next batch is read while this one is being sent.
      if (!batch.last) pending = thread.ask({ id, ask: 'next' })
      const all = isFirst && batch.last
      isFirst = false
      for await (const piece of all ? [whole(batch)] : turns.pieces(batch.size)) {
        pauses.begin()
        yield { rows: rowsOf(batch, piece), all }
        pauses.finish(piece.to - piece.from)
        if (batch.last && piece.to === batch.size) return
        if (!open) throw storageUnavailable(new Error('a stream was read too slowly'))
      }
      if (batch.last) return
    }
  } finally {
    end()
  }
}

const whole = ({ size }: Batch): Piece => ({ from: 0, to: size })

const rowsOf = ({ names, columns }: Batch, { from, to }: Piece) => {
  const rows: Row[] = []
  for (let index = from; index < to; index++) {
    const values = columns.map((column) => column[index] as Value)
    rows.push(rowOf(names, values))
  }
  return rows
}
