/** The part of a `Thread` that runs in the worker: receives questions and sends the answers. */
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '#core/cause.ts'
import type { Question, Reply } from './thread.ts'

export const databasePath = () => (workerData as { readonly path: string }).path

/** Sends what `answerTo` returns for each question. Sends nothing if it returns undefined. */
export const answerQuestions = <Q extends Question, A>(answerTo: (question: Q) => A | undefined) => {
  const send = (answer: Reply<A>) => parentPort?.postMessage(answer)
  parentPort?.on('message', (question: Q) => {
    try {
      const answer = answerTo(question)
      if (answer !== undefined) send({ id: question.id, answer })
    } catch (error) {
      send({ id: question.id, failure: failureOf(error) })
    }
  })
}

const failureOf = (error: unknown) => ({
  message: messageOf(error),
  errcode: error instanceof Error && 'errcode' in error ? error.errcode : undefined,
})
