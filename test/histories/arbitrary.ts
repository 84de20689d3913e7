import fc from 'fast-check'
import { absent, changed, type Op } from './event.ts'
import type { Operation } from './operation.ts'
import { finished, initial, type State } from './register.ts'

export interface Plan {
  readonly op: Op
  readonly process: number
  /** How far it reaches before and after the moment it happens, as a share of the room its process has. */
  readonly before: number
  readonly after: number
  readonly fate: 'answered' | 'happened' | 'vanished'
  /** Whether a cas insists on what is there. */
  readonly insists: boolean
}

const share = fc.double({ min: 0, max: 0.99, noNaN: true })

export const plans = (longest: number) => fc.array(plan, { minLength: 1, maxLength: longest })

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
  insists: fc.boolean(),
})

/** A history that one register did give: operation i happens at second i, somewhere within its interval. */
export const history = (plans: readonly Plan[]): Operation[] => {
  let state: State = initial
  return plans.map((plan, index) => {
    const { operation, after } = happen(plan, index, state)
    state = after
    return { ...operation, ...interval(plans, index) }
  })
}

const happen = (plan: Plan, index: number, state: State) => {
  const value = plan.op === 'read' || plan.op === 'finish' || plan.op === 'delete' ? undefined : `v${index}/0`
  const from = plan.op !== 'cas' ? undefined : plan.insists && state !== null ? state : 'other/0'
  const operation = { process: plan.process, op: plan.op, key: 'k', value, from, instance: undefined }
  const answer = answerOf(plan.op, { state, value, from })
  if (plan.fate === 'answered') return { operation: { ...operation, ...answer.said }, after: answer.after }
  const unknown = { outcome: 'info', seen: undefined, error: 'unknown' } as const
  return { operation: { ...operation, ...unknown }, after: plan.fate === 'happened' ? answer.after : state }
}

interface Asked {
  readonly state: State
  readonly value: string | undefined
  readonly from: string | undefined
}

const answerOf = (op: Op, { state, value, from }: Asked) => {
  if (op === 'read') return { said: yes(state), after: state }
  if (op === 'create')
    return state === null ? { said: yes(), after: value ?? null } : { said: no('taken'), after: state }
  if (state === null) return { said: no(absent), after: state }
  if (op === 'cas' && state !== from) return { said: no(changed), after: state }
  if (op === 'finish') return { said: yes(finished(state)), after: finished(state) }
  return { said: yes(), after: op === 'delete' ? null : (value ?? null) }
}

const yes = (seen?: State) => ({ outcome: 'ok', seen, error: undefined }) as const

const no = (error: string) => ({ outcome: 'fail', seen: undefined, error }) as const

/** Reaches half way to what the same process does before and after, at most. */
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
