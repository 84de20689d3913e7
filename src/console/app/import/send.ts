import type { NewMember, NewTodo } from '#client/index.ts'
import { type Failure, failureOf, kindOf } from '#console/app/api/failure.ts'
import { createMember } from '#console/app/api/members.ts'
import { createTodo, finishTodo } from '#console/app/api/todos.ts'
import type { Batch, FileRecord, Kind } from './record.ts'

export interface Refusal {
  readonly record: FileRecord
  /** Undefined where the line could not even be read. */
  readonly failure: Failure | undefined
}

/** So many are on their way at once: hashing a password takes its time, and others want to be served too. */
const atOnce = 4

/** Sends the records of a batch. What is refused is told; what the service cannot do now ends a run, and the next takes it up again. */
export const sender = ({ kind, records }: Batch) => {
  const waiting = records.toReversed()
  const created = new Map<FileRecord, string>()
  return async (signal: AbortSignal, onDone: (refusal?: Refusal) => void): Promise<Failure | undefined> => {
    let halted: Failure | undefined
    const work = async () => {
      while (!halted && !signal.aborted) {
        const record = waiting.pop()
        if (!record) return
        const failure = await send(kind, record, created)
        if (failure && kindOf(failure) !== 'refused') {
          waiting.push(record)
          halted = failure
        } else onDone(failure || !record.body ? { record, failure } : undefined)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return halted
  }
}

/** The todos that were created, and perhaps not finished: they are not created again. */
type Created = Map<FileRecord, string>

const send = async (kind: Kind, record: FileRecord, created: Created): Promise<Failure | undefined> => {
  if (!record.body) return undefined
  try {
    await (kind === 'members' ? createMember(record.body as unknown as NewMember) : sendTodo(record, created))
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

/** A todo begins open, whatever is said: one that was finished is finished again. */
const sendTodo = async (record: FileRecord, created: Created) => {
  const { finished, ...body } = record.body ?? {}
  const todoId = created.get(record) ?? (await createTodo(body as unknown as NewTodo)).todoId
  created.set(record, todoId)
  if (String(finished) === 'true') await finishTodo(todoId)
}
