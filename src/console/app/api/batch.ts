import type { BatchOperation, BatchResponse } from '#client/index.ts'
import { ask, batches } from './ask.ts'
import { type Failure, failureOf, isGone } from './failure.ts'

/** The most operations that the service takes at once. */
export const batchSize = 100

/** One change of many. */
export interface Task {
  readonly id: string
  /** What the record is called in a sentence. */
  readonly name: string
  readonly operation: BatchOperation
}

export interface Refused extends Task {
  readonly failure: Failure
}

export const pathOf = (room: string, id: string) => `/api/v1/${room}/${id}`

/** Sends batch after batch, and resolves to the tasks that failed. After a batch without an answer none is sent. What is gone is no failure. */
export const sendEach = async (tasks: readonly Task[]): Promise<readonly Refused[]> => {
  const refused: Refused[] = []
  for (let from = 0; from < tasks.length; from += batchSize) {
    const part = tasks.slice(from, from + batchSize)
    const operations = part.map(({ operation }) => operation)
    try {
      const { value, track } = await ask(() => batches.create({ atomic: false, operations }))
      for (const [index, task] of part.entries()) {
        const failure = refusalOf(value.responses[index], track)
        if (failure && !isGone(failure)) refused.push({ ...task, failure })
      }
    } catch (error) {
      const failure = failureOf(error)
      return [...refused, ...tasks.slice(from).map((task) => ({ ...task, failure }))]
    }
  }
  return refused
}

const refusalOf = (response: BatchResponse | undefined, track: string): Failure | undefined =>
  !response || response.status < 400
    ? undefined
    : ({ details: [], ...response.body, ok: false, status: response.status, track } as unknown as Failure)
