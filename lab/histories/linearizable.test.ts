import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { history, plans } from './arbitrary.ts'
import { linearizable } from './linearizable.ts'
import type { Operation } from './operation.ts'
import { initial, isTelling, type State, step } from './register.ts'

test('correct histories of a register are accepted, even with overlaps and unknown outcomes', () => {
  fc.assert(
    fc.property(plans(60), (made) => {
      assert.equal(linearizable(history(made)).linearizable, 'yes')
    }),
    { numRuns: 200 },
  )
})

test('in a history without overlaps, a read of a value that is not current is refused', () => {
  const sequential = plans(30).map((made) =>
    made.map((plan) => ({ ...plan, before: 0.1, after: 0.1, fate: 'answered' as const })),
  )
  fc.assert(
    fc.property(sequential, fc.nat(), (made, pick) => {
      const good = history(made)
      const reads = good.filter(({ op }) => op === 'read')
      const read = reads[pick % Math.max(1, reads.length)]
      const other = good.find(
        ({ op, outcome, value }) => op !== 'read' && outcome === 'ok' && value && value !== read?.seen,
      )
      fc.pre(read !== undefined && other !== undefined)
      const bad = good.map((operation) =>
        operation === read ? { ...operation, seen: other?.value } : operation,
      )
      assert.equal(linearizable(bad).linearizable, 'no')
    }),
    { numRuns: 300 },
  )
})

test('a read of a value whose write is missing is refused', () => {
  fc.assert(
    fc.property(plans(40), fc.nat(), (made, pick) => {
      const good = history(made)
      const reads = good.filter(({ op, outcome, seen }) => op === 'read' && outcome === 'ok' && seen)
      const read = reads[pick % Math.max(1, reads.length)]
      fc.pre(read !== undefined)
      const title = read?.seen?.replace(/\/.$/, '/0')
      assert.equal(linearizable(good.filter(({ value }) => value !== title)).linearizable, 'no')
    }),
    { numRuns: 300 },
  )
})

test('on random histories the search gives the same result as a trial of every order', () => {
  const verdicts = { yes: 0, no: 0 }
  fc.assert(
    fc.property(plans(7), fc.array(fc.nat(6), { maxLength: 2 }), (made, shuffled) => {
      const operations = disturb(history(made), shuffled)
      const expected = everyOrder(operations) ? 'yes' : 'no'
      verdicts[expected]++
      assert.equal(linearizable(operations).linearizable, expected)
    }),
    { numRuns: 700 },
  )
  assert.ok(verdicts.no > 30 && verdicts.yes > 30, JSON.stringify(verdicts))
})

test('a search that reaches its step limit reports undecided', () => {
  const writes = Array.from({ length: 12 }, (_, index) =>
    one({ op: 'write', value: `v${index}/0`, endedNs: 99 }),
  )
  const bad = [
    one({ op: 'create', value: 'a/0', invokedNs: 0, endedNs: 1 }),
    ...writes,
    one({ op: 'read', seen: 'z/0', invokedNs: 100 }),
  ]
  assert.equal(linearizable(bad, 1000).linearizable, 'undecided')
})

/** Gives one operation the answer and the times of another, and the other the times of the first. */
const disturb = (operations: readonly Operation[], picks: readonly number[]) => {
  const answered = operations.filter(({ outcome }) => outcome !== 'info')
  const [first, second] = picks.map((pick) => answered[pick % answered.length])
  if (!first || !second) return operations
  return operations.map((operation) => {
    if (operation === first) return { ...first, ...timesOf(second), seen: second.seen }
    return operation === second ? { ...second, ...timesOf(first) } : operation
  })
}

const timesOf = ({ invokedNs, endedNs }: Operation) => ({ invokedNs, endedNs })

const everyOrder = (operations: readonly Operation[]): boolean =>
  extend(operations.filter(isTelling), initial)

const extend = (left: readonly Operation[], state: State): boolean => {
  if (left.every(({ outcome }) => outcome === 'info')) return true
  const firstEndNs = Math.min(...left.map(({ endedNs }) => endedNs))
  return left.some((operation) => {
    if (operation.invokedNs > firstEndNs) return false
    if (operation.op === 'read' && operation.outcome === 'info') return false
    const after = step(state, operation)
    return (
      after !== undefined &&
      extend(
        left.filter((other) => other !== operation),
        after,
      )
    )
  })
}

const one = (parts: Partial<Operation>): Operation => ({
  process: 0,
  op: 'read',
  key: 'k',
  value: undefined,
  from: undefined,
  outcome: 'ok',
  seen: undefined,
  error: undefined,
  instance: undefined,
  invokedNs: 2,
  endedNs: 200,
  ...parts,
})
