import assert from 'node:assert/strict'
import test from 'node:test'
import { disturber, type Event } from './event.ts'
import { operationsOf } from './operation.ts'
import { voidReasons } from './validity.ts'

const secondNs = 1e9

test('a busy history with a fault in the middle and a healthy tail is valid', () => {
  assert.deepEqual(reasons([...busy(0, 10, 100), ...fault(3, 4)]), [])
})

test('a history with fewer than 50 operations a second is void', () => {
  assert.match(reasons(busy(0, 10, 40)).join(), /operations a second/)
})

test('a history with no operation in flight at a fault is void', () => {
  assert.match(
    reasons([...busy(0, 3, 200), ...fault(4, 5), ...busy(6, 9, 200)]).join(),
    /nothing was under way/,
  )
})

test('a history without healthy operations after the last fault is void', () => {
  assert.match(reasons([...busy(0, 10, 100), ...fault(9.2, 9.8)]).join(), /no tail/)
})

test('a history with a fault that never ended is void', () => {
  assert.match(reasons([...busy(0, 10, 100), ...fault(3, 4).slice(0, 1)]).join(), /no end/)
})

test('a history whose last operations are unanswered is void', () => {
  const broken = busy(8, 10, 100).map((event) =>
    event.type === 'ok' ? { ...event, type: 'info' as const } : event,
  )
  assert.match(reasons([...busy(0, 8, 200), ...fault(3, 4), ...broken]).join(), /of the tail/)
})

const reasons = (events: readonly Event[]) =>
  voidReasons(operationsOf([...events].sort((a, b) => a.ns - b.ns)))

/** One process with a request always in flight. */
const busy = (fromSecond: number, toSecond: number, perSecond: number): Event[] =>
  Array.from({ length: (toSecond - fromSecond) * perSecond }, (_, index) => {
    const ns = (fromSecond + index / perSecond) * secondNs
    const operation = { process: 0, op: 'read', key: 'k' } as const
    return [
      { ...operation, type: 'invoke', ns } as const,
      { ...operation, type: 'ok', value: null, ns: ns + (0.99 * secondNs) / perSecond } as const,
    ]
  }).flat()

const fault = (fromSecond: number, toSecond: number): Event[] => [
  { process: disturber, op: 'fault', type: 'invoke', value: 'kill', ns: fromSecond * secondNs + 1000 },
  { process: disturber, op: 'fault', type: 'ok', ns: toSecond * secondNs },
]
