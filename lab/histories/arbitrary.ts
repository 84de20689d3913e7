import fc from 'fast-check'
import { absent, changed, type Op } from './event.ts'
import type { Operation } from './operation.ts'
import { finishedState, initial, type State } from './register.ts'

export interface Plan {
  readonly op: Op
  readonly process: number
  /** How far it extends before and after the moment it takes effect, as a share of the time its process has. */
  readonly before: number
  readonly after: number
  readonly fate: 'answered' | 'happened' | 'vanished'
  /** True if a cas expects the present value. */
  readonly expectsPresent: boolean
}

const share = fc.double({ min: 0, max: 0.99, noNaN: true })

export const plans = (maxLength: number) => fc.array(plan, { minLength: 1, maxLength })

const plan: fc.Arbitrary<Plan> = fc.record({
  op: fc.constantFrom<Op>(
    'create',
    'read',
    'read',
    'read',
    'write',
    'write',
    'cas',
    'cas',
    'finish',
    'delete',
  ),
  process: fc.integer({ min: 0, max: 4 }),
  before: share,
  after: share,
  fate: fc.constantFrom<Plan['fate']>(...Array(8).fill('answered'), 'happened', 'vanished'),
  expectsPresent: fc.boolean(),
})

/** A history that one register produced: operation i takes effect at second i, within its interval. */
export const history = (plans: readonly Plan[]): Operation[] => {
  let state: State = initial
  return plans.map((plan, index) => {
    const { operation, after } = perform(plan, index, state)
    state = after
    return { ...operation, ...interval(plans, index) }
  })
}

const perform = (plan: Plan, index: number, state: State) => {
  const value = plan.op === 'read' || plan.op === 'finish' || plan.op === 'delete' ? undefined : `v${index}/0`
  const from = plan.op !== 'cas' ? undefined : plan.expectsPresent && state !== null ? state : 'other/0'
  const operation = { process: plan.process, op: plan.op, key: 'k', value, from, instance: undefined }
  const answer = answerOf(plan.op, { state, value, from })
  if (plan.fate === 'answered') return { operation: { ...operation, ...answer.end }, after: answer.after }
  const unknown = { outcome: 'info', seen: undefined, error: 'unknown' } as const
  return { operation: { ...operation, ...unknown }, after: plan.fate === 'happened' ? answer.after : state }
}

interface Request {
  readonly state: State
  readonly value: string | undefined
  readonly from: string | undefined
}

const answerOf = (op: Op, { state, value, from }: Request) => {
  if (op === 'read') return { end: yes(state), after: state }
  if (op === 'create')
    return state === null ? { end: yes(), after: value ?? null } : { end: no('taken'), after: state }
  if (state === null) return { end: no(absent), after: state }
  if (op === 'cas' && state !== from) return { end: no(changed), after: state }
  if (op === 'finish') return { end: yes(finishedState(state)), after: finishedState(state) }
  return { end: yes(), after: op === 'delete' ? null : (value ?? null) }
}

const yes = (seen?: State) => ({ outcome: 'ok', seen, error: undefined }) as const

const no = (error: string) => ({ outcome: 'fail', seen: undefined, error }) as const

/** Extends at most halfway to the previous and the next operation of the same process. */
const interval = (plans: readonly Plan[], index: number) => {
  const { process, before, after, fate } = plans[index] as Plan
  const previous = plans.findLastIndex((plan, at) => at < index && plan.process === process)
  const next = plans.findIndex((plan, at) => at > index && plan.process === process)
  const end = index + (after * ((next < 0 ? plans.length : next) - index)) / 2
  return {
    invokedNs: (index - (before * (index - previous)) / 2) * 1e9,
    endedNs: fate === 'answered' ? end * 1e9 : Number.POSITIVE_INFINITY,
  }
}
