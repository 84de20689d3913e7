import { overloaded, storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Row } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import { pacedStreams } from '#sql/paced-streams.ts'
import type { Query, Value } from '#sql/query.ts'
import type { RowRange } from '#sql/time-slices.ts'
import { rowOf } from './connection.ts'
import { reported, throwReported } from './errors.ts'
import type { Limits } from './limits.ts'
import type { Batch, ReaderQuestion } from './reader.thread.ts'
import { Thread } from './thread.ts'

interface ReadersOptions {
  readonly path: string
  readonly limits: Limits
  readonly observer: Observer
  /** Waits until the WAL is short enough to begin a stream, which keeps it from restarting. False if that takes too long. */
  readonly waitForShortWal: (waitMs: number) => Promise<boolean>
}

interface StreamedRows {
  readonly rows: readonly Row[]
  /** Whether these are all rows of the stream. */
  readonly all: boolean
}

type ReaderThread = Thread<ReaderQuestion, Batch>

/** Threads that scan many rows while the main thread answers other requests. */
export const readers = ({ path, limits, observer, waitForShortWal }: ReadersOptions) => {
  const threads = new Set<ReaderThread>()
  const { maxWaiting, waitMs, targetWaitMs } = limits
  const scans = slots({
    places: limits.threads,
    maxWaiting,
    waitMs,
    targetWaitMs,
    refusal: () => overloaded(),
  })
  observer.poolOpened?.('scans', scans)
  const paced = pacedStreams({ limits, waitMs, observer })
  let lastId = 0
  let isEnded = false
  let isClosed = false

  const leastBusy = () => {
    if (isClosed || isEnded)
      throw storageUnavailable(
        new Error(isClosed ? 'the database is closed' : 'the database is being reopened'),
      )
    const [first] = [...threads].sort((one, other) => one.load - other.load)
    if (first && (first.load === 0 || threads.size >= limits.threads)) return first
    const started: ReaderThread = new Thread(new URL('./reader.thread.ts', import.meta.url), path, () =>
      threads.delete(started),
    )
    threads.add(started)
    return started
  }

  const open = async ({ text, values }: Query) => {
    if (!(await waitForShortWal(waitMs))) throw overloaded()
    const thread = leastBusy()
    const id = ++lastId
    thread.load++
    let question: ReaderQuestion = { id, ask: 'stream', text, values }
    return {
      next() {
        const asked = thread.ask(question)
        question = { id, ask: 'next' }
        return asked
      },

      end() {
        thread.load--
        thread.tell({ id, ask: 'end' })
      },
    }
  }

  const end = async () => {
    isEnded = true
    await Promise.all([...threads].map((thread) => thread.close()))
  }

  return {
    async scan({ text, values }: Query): Promise<Row[]> {
      const scan = () => scanOn(leastBusy(), { id: ++lastId, ask: 'scan', text, values })
      const found = await scans.use(scan).catch(throwReported(observer))
      return rowsOf(found, { from: 0, to: found.size })
    },

    async *stream(query: Query): AsyncGenerator<StreamedRows, void, undefined> {
      try {
        for await (const { batch, isWhole, ...range } of paced(() => open(query)))
          yield { rows: rowsOf(batch, range), all: isWhole }
      } catch (error) {
        throw reported(observer, error)
      }
    },

    /** Refuses running and new reads until `begin`. */
    end,

    begin() {
      isEnded = false
    },

    /** Refuses running and waiting reads. */
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

const rowsOf = ({ names, columns }: Batch, { from, to }: RowRange) => {
  const rows: Row[] = []
  for (let index = from; index < to; index++) {
    const values = columns.map((column) => column[index] as Value)
    rows.push(rowOf(names, values))
  }
  return rows
}
