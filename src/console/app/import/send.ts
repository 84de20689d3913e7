import type { CallOptions, NewMember, NewTodo } from '#client/index.ts'
import { newName } from '#client/name.ts'
import { ask, members, todos } from '#console/app/api/ask.ts'
import { type Failure, failureOf, isAborted, isVerdict } from '#console/app/api/failure.ts'
import { type Batch, type FileRecord, isFaulty, type Kind } from './record.ts'

export interface Refusal {
  readonly record: FileRecord
  /** Undefined if it was not even sent. */
  readonly failure?: Failure
}

/** The number of concurrent requests: hashing a password takes time, and others need the service too. */
const concurrency = 4

/** Sends what is not faulty of a batch and reports refused records. Any other failure ends the run, and the next run resumes there. */
export const sender = ({ kind, records: all }: Batch) => {
  const records = all.filter((record) => !isFaulty(record))
  const returned: Parcel[] = []
  let next = 0
  const take = (): Parcel | undefined => {
    const record = returned.length === 0 ? records[next] : undefined
    if (!record) return returned.pop()
    next += 1
    return { record, key: newName() }
  }
  return async (signal: AbortSignal, onDone: (refusal?: Refusal) => void): Promise<Failure | undefined> => {
    let halted: Failure | undefined
    const work = async () => {
      while (!halted && !signal.aborted) {
        const parcel = take()
        if (!parcel) return
        const { record } = parcel
        const failure = await send(kind, parcel, signal)
        if (failure && !isVerdict(failure)) {
          returned.push(parcel)
          if (!isAborted(failure)) halted = failure
        } else onDone(failure && { record, failure })
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    return halted
  }
}

interface Parcel {
  readonly record: FileRecord
  /** The same each time it is sent, so that a record whose answer was lost is not created twice. */
  readonly key: string
  /** The todo that was created, but perhaps not finished yet. */
  todoId?: string
}

const send = async (kind: Kind, parcel: Parcel, signal: AbortSignal): Promise<Failure | undefined> => {
  const { record, key } = parcel
  const options = { key, signal }
  try {
    if (kind === 'members') await ask(() => members.create(record.body as unknown as NewMember, options))
    else await sendTodo(parcel, options)
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

/** Todos are always created open, so a finished one is then finished. */
const sendTodo = async (parcel: Parcel, options: CallOptions) => {
  const { finished, ...body } = parcel.record.body
  const todoId =
    parcel.todoId ?? (await ask(() => todos.create(body as unknown as NewTodo, options))).value.todoId
  parcel.todoId = todoId
  if (finished === true) await ask(() => todos.finish(todoId, { signal: options.signal }))
}
