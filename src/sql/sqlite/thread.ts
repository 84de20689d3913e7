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
  readonly #pending = new Map<number, PromiseWithResolvers<A>>()
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
    const pending = Promise.withResolvers<A>()
    // A caller that leaves early leaves behind a question whose answer nobody awaits.
    pending.promise.catch(() => undefined)
    if (this.#ended) pending.reject(storageUnavailable(this.#ended))
    else this.#pending.set(question.id, pending)
    this.tell(question)
    return pending.promise
  }

  tell(question: Q) {
    this.#worker.postMessage(question)
  }

  async close() {
    await this.#worker.terminate()
  }

  #take({ id, answer, failure }: Reply<A>) {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (failure)
      pending?.reject(refusal(Object.assign(new Error(failure.message), { errcode: failure.errcode })))
    else pending?.resolve(answer as A)
  }

  #fail(error: unknown) {
    this.#ended = error
    for (const pending of this.#pending.values()) pending.reject(storageUnavailable(error))
    this.#pending.clear()
  }
}
