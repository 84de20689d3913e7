import { overloaded, storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Row } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import { pacedStreams } from '#sql/paced-streams.ts'
import type { Query, Value } from '#sql/query.ts'
import type { RowRange } from '#sql/time-slices.ts'
import { rowOf } from './connection.ts'
import { reportAndRefuse, reportAndThrow } from './errors.ts'
import type { Limits } from './limits.ts'
import type { Batch, ReaderQuestion } from './reader.thread.ts'
import { Thread } from './thread.ts'

interface ReadersOptions {
  readonly path: string
  readonly limits: Limits
  readonly observer: Observer
  /** Waits until the WAL is short enough for a stream, which keeps the WAL from restarting. Returns false if that takes too long. */
  readonly waitForShortWal: (waitMs: number) => Promise<boolean>
}

interface StreamedRows {
  readonly rows: readonly Row[]
  /** True if these are all rows of the stream. */
  readonly areAll: boolean
}

type ReaderThread = Thread<ReaderQuestion, Batch>

/** Threads that read many rows while the main thread answers other requests. */
export const readers = ({ path, limits, observer, waitForShortWal }: ReadersOptions) => {
  const threads = new Set<ReaderThread>()
  const { maxWaiting, waitMs, targetWaitMs } = limits
  const scans = slots({ places: limits.threads, maxWaiting, waitMs, targetWaitMs, refusal: overloaded })
  observer.poolOpened?.('scans', scans)
  const runStream = pacedStreams({ limits, waitMs, observer })
  let lastId = 0
  let isSuspended = false
  let isClosed = false

  const leastBusy = () => {
    if (isClosed || isSuspended)
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

  const openStream = async ({ text, values }: Query) => {
    if (!(await waitForShortWal(waitMs))) throw overloaded()
    const thread = leastBusy()
    const id = ++lastId
    thread.load++
    let question: ReaderQuestion = { id, command: 'stream', text, values }
    return {
      next() {
        const batch = thread.ask(question)
        question = { id, command: 'next' }
        return batch
      },

      end() {
        thread.load--
        thread.post({ id, command: 'end' })
      },
    }
  }

  const suspend = async () => {
    isSuspended = true
    await Promise.all([...threads].map((thread) => thread.close()))
  }

  return {
    async scan({ text, values }: Query): Promise<Row[]> {
      const scan = () => scanOn(leastBusy(), { id: ++lastId, command: 'scan', text, values })
      const batch = await scans.use(scan).catch(reportAndThrow(observer))
      return rowsOf(batch, { from: 0, to: batch.size })
    },

    async *stream(query: Query): AsyncGenerator<StreamedRows, void, undefined> {
      try {
        for await (const { batch, isWhole, ...range } of runStream(() => openStream(query)))
          yield { rows: rowsOf(batch, range), areAll: isWhole }
      } catch (error) {
        throw reportAndRefuse(observer, error)
      }
    },

    /** Refuses running and new reads until `resume`. */
    suspend,

    resume() {
      isSuspended = false
    },

    /** Refuses running and waiting reads. */
    async close() {
      isClosed = true
      await suspend()
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
