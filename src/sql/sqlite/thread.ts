import { Worker } from 'node:worker_threads'
import { storageUnavailable } from '#core/problem.ts'
import { refusal } from './errors.ts'

/** Messages between the threads: a question, and its answer or failure. */
export interface Question {
  readonly id: number
}

export interface Reply<A> {
  readonly id: number
  readonly answer?: A
  readonly failure?: { readonly message: string; readonly errcode: unknown }
}

/** A worker thread that answers questions. */
export class Thread<Q extends Question, A> {
  /** How many questions or streams are running on it. */
  load = 0
  readonly #worker: Worker
  readonly #asked = new Map<number, PromiseWithResolvers<A>>()
  #ended: unknown

  constructor(program: URL, path: string, ended: () => void) {
    this.#worker = new Worker(program, { workerData: { path }, execArgv: [] })
    this.#worker.on('message', (answer: Reply<A>) => this.#take(answer))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => {
      ended()
      this.#fail(new Error('the thread has ended'))
    })
  }

  ask(question: Q): Promise<A> {
    const asked = Promise.withResolvers<A>()
    // A caller that leaves early leaves behind a question whose answer nobody awaits.
    asked.promise.catch(() => undefined)
    if (this.#ended) asked.reject(storageUnavailable(this.#ended))
    else this.#asked.set(question.id, asked)
    this.tell(question)
    return asked.promise
  }

  tell(question: Q) {
    this.#worker.postMessage(question)
  }

  async close() {
    await this.#worker.terminate()
  }

  #take({ id, answer, failure }: Reply<A>) {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    if (failure)
      asked?.reject(refusal(Object.assign(new Error(failure.message), { errcode: failure.errcode })))
    else asked?.resolve(answer as A)
  }

  #fail(error: unknown) {
    this.#ended = error
    for (const asked of this.#asked.values()) asked.reject(storageUnavailable(error))
    this.#asked.clear()
  }
}
