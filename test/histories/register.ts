import { absent, changed } from './event.ts'
import type { Operation } from './operation.ts'

/** What a record holds: its title, and /1 when it is finished; null when it is not there. */
export type State = string | null

/** Nothing is there before the create. */
export const initial: State = null

/** What the record holds after the operation, or undefined where the answer cannot have come from this state. */
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
      return state === null ? undefined : agree(finished(state), operation)
    case 'delete':
      return state === null ? undefined : null
    default:
      throw new Error(`${operation.op} is not about a register`)
  }
}

/** The refusals that tell something. The others did not happen, and are not asked about. */
export const tells = ({ outcome, error }: Operation) =>
  outcome !== 'fail' || error === absent || error === changed

export const finished = (state: string) => state.replace(/\/0$/, '/1')

const refused = (state: State, { error, from }: Operation) => {
  if (error === absent) return state === null ? state : undefined
  return state === from ? undefined : state
}

const wanted = ({ value }: Operation) => value ?? undefined

/** An answer that shows the record must show what it holds now. */
const agree = (state: string, { outcome, seen }: Operation) =>
  outcome === 'ok' && seen !== undefined && seen !== state ? undefined : state
