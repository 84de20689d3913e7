import type { NewMember, NewTodo } from '#client/index.ts'
import { newName } from '#client/name.ts'
import { type Failure, failureOf, isPassing, kindOf } from '#console/app/api/failure.ts'
import { createMember } from '#console/app/api/members.ts'
import { createTodo, finishTodo } from '#console/app/api/todos.ts'
import type { Batch, FileRecord, Kind } from './record.ts'

export interface Refusal {
  readonly record: FileRecord
  /** Undefined where it was not even sent. */
  readonly failure: Failure | undefined
}

/** So many are on their way at once: hashing a password takes its time, and others want to be served too. */
const atOnce = 4

/** Sends the records of a batch. What is refused is told; what is no verdict on a record ends a run, and the next takes it up again. */
export const sender = ({ kind, records }: Batch) => {
  const waiting = records.map((record) => ({ record, key: newName() })).reverse()
  return async (signal: AbortSignal, onDone: (refusal?: Refusal) => void): Promise<Failure | undefined> => {
    let halted: Failure | undefined
    const work = async () => {
      while (!halted && !signal.aborted) {
        const parcel = waiting.pop()
        if (!parcel) return
        const { record } = parcel
        const failure = await send(kind, parcel)
        if (failure && !isVerdict(failure)) {
          waiting.push(parcel)
          halted = failure
        } else onDone(failure || !record.body ? { record, failure } : undefined)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return halted
  }
}

/** On the record, and not on who sends it. */
const isVerdict = (failure: Failure) =>
  kindOf(failure) === 'refused' && failure.status !== 403 && !isPassing(failure)

interface Parcel {
  readonly record: FileRecord
  /** The same whenever it is sent: what was taken, though its answer was lost, is not taken twice. */
  readonly key: string
  /** The todo that was created, and perhaps not finished. */
  todoId?: string
}

const send = async (kind: Kind, parcel: Parcel): Promise<Failure | undefined> => {
  const { record, key } = parcel
  if (!record.body) return undefined
  try {
    await (kind === 'members' ? createMember(record.body as unknown as NewMember, { key }) : sendTodo(parcel))
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

/** A todo begins open, whatever is said: one that was finished is finished again. */
const sendTodo = async (parcel: Parcel) => {
  const { finished, ...body } = parcel.record.body ?? {}
  parcel.todoId ??= (await createTodo(body as unknown as NewTodo, { key: parcel.key })).todoId
  if (finished === true) await finishTodo(parcel.todoId)
}
