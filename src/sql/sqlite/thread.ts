import { Worker } from 'node:worker_threads'
import { storageUnavailable } from '#core/problem.ts'
import { threadProgram } from '#core/thread-program.ts'
import { toRefusal } from './errors.ts'

export interface Question {
  readonly id: number
}

export interface Reply<A> {
  readonly id: number
  readonly answer?: A
  readonly failure?: { readonly message: string; readonly errcode: unknown }
}

export class Thread<Q extends Question, A> {
  /** The number of scans and streams that run on the thread. */
  load = 0
  readonly #worker: Worker
  readonly #pending = new Map<number, PromiseWithResolvers<A>>()
  #endError: unknown

  constructor(program: URL, path: string, onEnded: () => void) {
    this.#worker = new Worker(threadProgram(program), { workerData: { path }, execArgv: [] })
    this.#worker.on('message', (answer: Reply<A>) => this.#settle(answer))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => {
      onEnded()
      this.#fail(new Error('the thread has ended'))
    })
  }

  ask(question: Q): Promise<A> {
    const pending = Promise.withResolvers<A>()
    // Nobody awaits the answer if the caller leaves early.
    pending.promise.catch(() => undefined)
    if (this.#endError) pending.reject(storageUnavailable(this.#endError))
    else this.#pending.set(question.id, pending)
    this.post(question)
    return pending.promise
  }

  post(question: Q) {
    this.#worker.postMessage(question)
  }

  async close() {
    await this.#worker.terminate()
  }

  #settle({ id, answer, failure }: Reply<A>) {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (failure)
      pending?.reject(toRefusal(Object.assign(new Error(failure.message), { errcode: failure.errcode })))
    else pending?.resolve(answer as A)
  }

  #fail(error: unknown) {
    this.#endError = error
    for (const pending of this.#pending.values()) pending.reject(storageUnavailable(error))
    this.#pending.clear()
  }
}
