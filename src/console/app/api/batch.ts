import type { BatchOperation, BatchResponse } from '#client/index.ts'
import { batches, callSignedIn } from './call.ts'
import { type Failure, failureOf, isGone } from './failure.ts'

/** The most operations in one batch that the service accepts. */
export const batchSize = 100

/** One change of a bulk action. */
export interface Task {
  readonly id: string
  /** The name of the record in a sentence. */
  readonly name: string
  readonly operation: BatchOperation
  /** The record as a row of an import: its id, and the time at which the shown version was last modified. */
  readonly row?: object
}

export interface DoneTask extends Task {
  readonly response: BatchResponse
}

export interface RefusedTask extends Task {
  readonly failure: Failure
}

export const recordPathOf = (plural: string, id: string) => `/api/v1/${plural}/${id}`

/** Sends many changes in batches. If a batch gets no answer, the rest is not sent and counts as refused. A record that was already deleted is in neither result. */
export const sendEach = async (tasks: readonly Task[]) => {
  const done: DoneTask[] = []
  const refused: RefusedTask[] = []
  let unanswered: Failure | undefined
  for (let from = 0; from < tasks.length; from += batchSize) {
    const chunk = tasks.slice(from, from + batchSize)
    const answers = unanswered ?? (await send(chunk).catch(failureOf))
    if ('code' in answers) unanswered = answers
    for (const [at, task] of chunk.entries()) {
      const response = 'code' in answers ? undefined : answers[at]
      const failure = response ? response.failure : unanswered
      if (!failure && response) done.push({ ...task, response })
      else if (failure && !isGone(failure)) refused.push({ ...task, failure })
    }
  }
  return { done, refused }
}

const send = async (chunk: readonly Task[]) => {
  const operations = chunk.map(({ operation }) => operation)
  const { value, track } = await callSignedIn(() => batches.create({ atomic: false, operations }))
  return value.responses.map((response) => ({ ...response, failure: refusalOf(response, track) }))
}

const refusalOf = (response: BatchResponse, track: string): Failure | undefined =>
  response.status < 400
    ? undefined
    : ({ details: [], ...response.body, ok: false, status: response.status, track } as unknown as Failure)
