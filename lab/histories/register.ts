import { absent, changed } from './event.ts'
import type { Operation } from './operation.ts'

/** The content of a record: its title, then /1 if finished or /0 if not; null if it does not exist. */
export type State = string | null

/** The record does not exist before its create. */
export const initial: State = null

/** The content of the record after the operation, or undefined if this state cannot have given the answer. */
export const step = (state: State, operation: Operation): State | undefined => {
  if (operation.outcome === 'fail') return refused(state, operation)
  switch (operation.op) {
    case 'create':
      return state === null ? wanted(operation) : undefined
    case 'read':
    case 'list':
      return operation.seen === state ? state : undefined
    case 'write':
      return state === null ? undefined : wanted(operation)
    case 'cas':
      return state !== null && state === operation.from ? wanted(operation) : undefined
    case 'finish':
      return state === null ? undefined : consistent(finishedState(state), operation)
    case 'delete':
      return state === null ? undefined : null
    default:
      throw new Error(`${operation.op} is not about a register`)
  }
}

/** True if an outcome says something about the state. The other refusals changed nothing and depend on nothing. */
export const isTelling = ({ outcome, error }: Operation) =>
  outcome !== 'fail' || error === absent || error === changed

export const finishedState = (state: string) => state.replace(/\/0$/, '/1')

const refused = (state: State, { error, from }: Operation) => {
  if (error === absent) return state === null ? state : undefined
  return state === from ? undefined : state
}

const wanted = ({ value }: Operation) => value ?? undefined

/** An answer that shows the record must show its present content. */
const consistent = (state: string, { outcome, seen }: Operation) =>
  outcome === 'ok' && seen !== undefined && seen !== state ? undefined : state
