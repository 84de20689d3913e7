import type { BatchOperation, BatchResponse } from '#client/index.ts'
import { batches, callSignedIn } from './call.ts'
import { type Failure, failureOf, isGone } from './failure.ts'

/** The most operations in one batch that the service accepts. */
export const batchSize = 100

/** One change of many. */
export interface Task {
  readonly id: string
  /** The name of the record in a sentence. */
  readonly name: string
  readonly operation: BatchOperation
  /** The id of the record as a file states it, and when the record was last modified when it was shown. */
  readonly row?: object
}

export interface DoneTask extends Task {
  readonly response: BatchResponse
}

export interface RefusedTask extends Task {
  readonly failure: Failure
}

export const pathOf = (room: string, id: string) => `/api/v1/${room}/${id}`

/** Sends many changes in batches. Once a batch gets no answer, no further batch starts. A record that is already deleted does not count as a failure. */
export const sendEach = async (tasks: readonly Task[]) => {
  const done: DoneTask[] = []
  const refused: RefusedTask[] = []
  let lost: Failure | undefined
  for (let from = 0; from < tasks.length; from += batchSize) {
    const part = tasks.slice(from, from + batchSize)
    const answers = lost ?? (await send(part).catch(failureOf))
    if ('code' in answers) lost = answers
    for (const [at, task] of part.entries()) {
      const response = 'code' in answers ? undefined : answers[at]
      const failure = response ? response.failure : lost
      if (!failure && response) done.push({ ...task, response })
      else if (failure && !isGone(failure)) refused.push({ ...task, failure })
    }
  }
  return { done, refused }
}

const send = async (part: readonly Task[]) => {
  const operations = part.map(({ operation }) => operation)
  const { value, track } = await callSignedIn(() => batches.create({ atomic: false, operations }))
  return value.responses.map((response) => ({ ...response, failure: refusalOf(response, track) }))
}

const refusalOf = (response: BatchResponse, track: string): Failure | undefined =>
  response.status < 400
    ? undefined
    : ({ details: [], ...response.body, ok: false, status: response.status, track } as unknown as Failure)
