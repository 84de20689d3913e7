import { disturber } from './event.ts'
import type { Operation } from './operation.ts'

export interface Bounds {
  readonly operationsPerSecond: number
  /** How long the tail after the last fault must be, and how much of it must succeed. */
  readonly tailMs: number
  readonly tailOk: number
}

export const bounds: Bounds = { operationsPerSecond: 50, tailMs: 1000, tailOk: 0.9 }

/** Why a history proves nothing: too little was asked, nothing was under way at a fault, or it did not recover. */
export const voidReasons = (operations: readonly Operation[], limits: Bounds = bounds): string[] => {
  const asked = operations.filter(isLoad)
  const faults = operations.filter(({ process, op }) => process === disturber && op === 'fault')
  return [
    ...tooSlow(asked, limits),
    ...faults.flatMap((fault) => (underWay(asked, fault) ? [] : [`nothing was under way at ${fault.value}`])),
    ...unhealthyTail(asked, faults, limits),
  ]
}

export const operationsPerSecond = (operations: readonly Operation[]) => {
  const asked = operations.filter(isLoad)
  const seconds = (lastNs(asked) - (asked[0]?.invokedNs ?? 0)) / 1e9
  const answered = asked.filter(({ outcome }) => outcome === 'ok').length
  return seconds > 0 ? answered / seconds : 0
}

const isLoad = ({ process, op }: Operation) =>
  process !== disturber && op !== 'list' && op !== 'roster' && op !== 'audit'

const tooSlow = (asked: readonly Operation[], limits: Bounds) => {
  const reached = operationsPerSecond(asked)
  return reached < limits.operationsPerSecond ? [`${reached.toFixed(1)} operations a second`] : []
}

const underWay = (asked: readonly Operation[], fault: Operation) =>
  asked.some(({ invokedNs, endedNs }) => invokedNs <= fault.invokedNs && endedNs >= fault.invokedNs)

const unhealthyTail = (asked: readonly Operation[], faults: readonly Operation[], limits: Bounds) => {
  if (faults.some(({ outcome }) => outcome !== 'ok')) return ['a fault has no end']
  const healedNs = Math.max(0, ...faults.map(({ endedNs }) => endedNs))
  const fromNs = Math.max(healedNs, lastNs(asked) - limits.tailMs * 1e6)
  if (lastNs(asked) - healedNs < limits.tailMs * 1e6) return ['no tail after the last fault']
  const tail = asked.filter(({ invokedNs }) => invokedNs >= fromNs)
  const good = tail.filter(({ outcome }) => outcome !== 'info').length / Math.max(1, tail.length)
  return good < limits.tailOk ? [`of the tail ${Math.round(good * 100)} % was answered`] : []
}

const lastNs = (asked: readonly Operation[]) =>
  asked.reduce(
    (last, { invokedNs, endedNs }) => Math.max(last, Number.isFinite(endedNs) ? endedNs : invokedNs),
    0,
  )
