import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { overloaded, storageUnavailable } from '#core/problem.ts'
import type { Row } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import type { Query, Value } from '#sql/query.ts'
import { slots } from '#sql/slots.ts'
import { rowOf } from './connection.ts'
import { refusal } from './errors.ts'
import type { Answer, Batch, Question, ReaderData } from './reader.ts'

const threadLimit = Math.min(availableParallelism(), 4)
const streamLimit = 32
const waitLimits = { waiting: 256, waitMs: 5_000, refusal: () => overloaded() }
/** While a stream lasts, the log of all later writes grows: so long may it last, and so long may its reader pause. */
const streamLimitMs = 300_000
const pauseLimitMs = 30_000

export interface ReadersOptions {
  readonly path: string
  readonly observer: Observer
  /** For tests. */
  readonly pauseMs?: number
}

export type Readers = ReturnType<typeof readers>

/** Threads that look at many rows, while this one answers everybody else. */
export const readers = ({ path, observer, pauseMs = pauseLimitMs }: ReadersOptions) => {
  const threads = new Set<Thread>()
  const scans = slots({ taken: threadLimit, ...waitLimits })
  const streams = slots({ taken: streamLimit, ...waitLimits })
  let lastId = 0

  const leastBusy = () => {
    const [first] = [...threads].sort((one, other) => one.load - other.load)
    if (first && (first.load === 0 || threads.size >= threadLimit)) return first
    const started = new Thread(path, () => threads.delete(started))
    threads.add(started)
    return started
  }

  return {
    async scan({ text, values }: Query): Promise<Row[]> {
      await scans.take()
      const thread = leastBusy()
      thread.load++
      try {
        return rowsOf(await thread.ask({ id: ++lastId, ask: 'scan', text, values }))
      } finally {
        thread.load--
        scans.give()
      }
    },

    /** Whether a batch is the last one comes with it. */
    async *stream({ text, values }: Query): AsyncGenerator<{ rows: Row[]; last: boolean }, void, undefined> {
      await streams.take()
      const thread = leastBusy()
      const id = ++lastId
      const deadline = performance.now() + streamLimitMs
      let open = true
      let pause: NodeJS.Timeout | undefined
      const end = () => {
        if (!open) return
        open = false
        clearTimeout(pause)
        thread.load--
        thread.tell({ id, ask: 'end' })
        streams.give()
        observer.streamsOpen?.(streams.taken())
      }
      thread.load++
      observer.streamsOpen?.(streams.taken())
      try {
        let asked = thread.ask({ id, ask: 'stream', text, values })
        for (;;) {
          const batch = await asked
          // One batch is made while the one before is sent.
          if (!batch.last) asked = thread.ask({ id, ask: 'next' })
          pause = setTimeout(end, Math.min(pauseMs, deadline - performance.now()))
          yield { rows: rowsOf(batch), last: batch.last }
          clearTimeout(pause)
          if (batch.last) return
          if (!open) throw storageUnavailable(new Error('the stream was read too slowly'))
        }
      } finally {
        end()
      }
    },

    async close() {
      await Promise.all([...threads].map((thread) => thread.close()))
    },
  }
}

class Thread {
  /** Scans and streams under way. */
  load = 0
  readonly #worker: Worker
  readonly #asked = new Map<number, PromiseWithResolvers<Batch>>()

  constructor(path: string, ended: () => void) {
    this.#worker = new Worker(new URL('./reader.ts', import.meta.url), {
      workerData: { path } satisfies ReaderData,
    })
    this.#worker.on('message', (answer: Answer) => this.#take(answer))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => {
      ended()
      this.#fail(new Error('the reading thread has ended'))
    })
  }

  ask(question: Question): Promise<Batch> {
    const asked = Promise.withResolvers<Batch>()
    // A stream that ends early leaves a question behind whose answer nobody awaits.
    asked.promise.catch(() => undefined)
    this.#asked.set(question.id, asked)
    this.#worker.postMessage(question)
    return asked.promise
  }

  tell(question: Question) {
    this.#worker.postMessage(question)
  }

  async close() {
    await this.#worker.terminate()
  }

  #take({ id, batch, failure }: Answer) {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    if (batch) asked?.resolve(batch)
    else asked?.reject(refusal(Object.assign(new Error(failure?.message), { errcode: failure?.errcode })))
  }

  #fail(error: unknown) {
    for (const asked of this.#asked.values()) asked.reject(storageUnavailable(error))
    this.#asked.clear()
  }
}

const rowsOf = ({ names, columns, size }: Batch) => {
  const rows: Row[] = []
  for (let index = 0; index < size; index++) {
    rows.push(
      rowOf(
        names,
        columns.map((column) => column[index] as Value),
      ),
    )
  }
  return rows
}
