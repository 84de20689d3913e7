import { checks, type Finding } from './checks.ts'
import type { Event } from './event.ts'
import { linearizable } from './linearizable.ts'
import { type Operation, operationsOf } from './operation.ts'
import { type Bounds, operationsPerSecond, voidReasons } from './validity.ts'

export interface Report {
  readonly findings: readonly Finding[]
  /** Why the history proves nothing, if it does not. */
  readonly void: readonly string[]
  readonly figures: Figures
}

export interface Figures {
  readonly operations: number
  readonly acknowledgedWrites: number
  readonly unknown: number
  readonly records: number
  readonly operationsPerSecond: number
  readonly steps: number
}

export const check = (events: readonly Event[], limits?: Bounds): Report => {
  const operations = operationsOf(events)
  const registers = registersOf(operations)
  const verdicts = [...registers].map(([key, its]) => ({ key, ...linearizable(its) }))
  const bad = verdicts.filter((verdict) => verdict.linearizable !== 'yes').map(asFinding)
  return {
    findings: [...checks.flatMap((one) => one(operations)), ...bad],
    void: voidReasons(operations, limits),
    figures: {
      operations: operations.length,
      acknowledgedWrites: operations.filter(isAcknowledgedWrite).length,
      unknown: operations.filter(({ outcome }) => outcome === 'info').length,
      records: registers.size,
      operationsPerSecond: Math.round(operationsPerSecond(operations)),
      steps: verdicts.reduce((sum, { steps }) => sum + steps, 0),
    },
  }
}

const registerOps: ReadonlySet<string> = new Set([
  'create',
  'read',
  'write',
  'cas',
  'finish',
  'delete',
  'list',
])

const writeOps: ReadonlySet<string> = new Set(['create', 'write', 'cas', 'finish', 'delete', 'join', 'leave'])

/** Records whose create was never answered have no history of their own; another check covers them. */
const registersOf = (operations: readonly Operation[]) => {
  const created = new Set(operations.filter(({ op }) => op === 'create').map(({ key }) => key))
  const theirs = operations.filter(
    ({ op, key }) => registerOps.has(op) && key !== undefined && created.has(key),
  )
  return Map.groupBy(theirs, ({ key }) => key ?? '')
}

const isAcknowledgedWrite = ({ op, outcome }: Operation) => outcome === 'ok' && writeOps.has(op)

const asFinding = ({
  key,
  linearizable: word,
  stuck,
}: ReturnType<typeof linearizable> & { key: string }) => ({
  check: word === 'no' ? 'not linearizable' : 'undecided',
  key,
  says: (stuck ?? [])
    .map(
      ({ op, value, from, seen, outcome }) => `${op} ${from ?? ''}>${value ?? ''} ${outcome} ${seen ?? ''}`,
    )
    .join('; '),
})
