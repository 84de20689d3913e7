import { disturber } from './event.ts'
import type { Operation } from './operation.ts'

export interface Bounds {
  readonly operationsPerSecond: number
  /** The required length of the tail after the last fault, and the share of it that must succeed. */
  readonly tailMs: number
  readonly tailOk: number
}

export const bounds: Bounds = { operationsPerSecond: 50, tailMs: 1000, tailOk: 0.9 }

/** Why a history proves nothing: too few operations, none in flight at a fault, or no recovery. */
export const voidReasons = (operations: readonly Operation[], limits: Bounds = bounds): string[] => {
  const load = operations.filter(isLoad)
  const faults = operations.filter(({ process, op }) => process === disturber && op === 'fault')
  return [
    ...tooSlow(load, limits),
    ...faults.flatMap((fault) => (underWay(load, fault) ? [] : [`nothing was under way at ${fault.value}`])),
    ...unhealthyTail(load, faults, limits),
  ]
}

export const operationsPerSecond = (operations: readonly Operation[]) => {
  const load = operations.filter(isLoad)
  const seconds = (lastNs(load) - (load[0]?.invokedNs ?? 0)) / 1e9
  const answered = load.filter(({ outcome }) => outcome === 'ok').length
  return seconds > 0 ? answered / seconds : 0
}

const isLoad = ({ process, op }: Operation) =>
  process !== disturber && op !== 'list' && op !== 'roster' && op !== 'audit'

const tooSlow = (load: readonly Operation[], limits: Bounds) => {
  const reached = operationsPerSecond(load)
  return reached < limits.operationsPerSecond ? [`${reached.toFixed(1)} operations a second`] : []
}

const underWay = (load: readonly Operation[], fault: Operation) =>
  load.some(({ invokedNs, endedNs }) => invokedNs <= fault.invokedNs && endedNs >= fault.invokedNs)

const unhealthyTail = (load: readonly Operation[], faults: readonly Operation[], limits: Bounds) => {
  if (faults.some(({ outcome }) => outcome !== 'ok')) return ['a fault has no end']
  const healedNs = Math.max(0, ...faults.map(({ endedNs }) => endedNs))
  const fromNs = Math.max(healedNs, lastNs(load) - limits.tailMs * 1e6)
  if (lastNs(load) - healedNs < limits.tailMs * 1e6) return ['no tail after the last fault']
  const tail = load.filter(({ invokedNs }) => invokedNs >= fromNs)
  const good = tail.filter(({ outcome }) => outcome !== 'info').length / Math.max(1, tail.length)
  return good < limits.tailOk ? [`of the tail ${Math.round(good * 100)} % was answered`] : []
}

const lastNs = (load: readonly Operation[]) =>
  load.reduce(
    (last, { invokedNs, endedNs }) => Math.max(last, Number.isFinite(endedNs) ? endedNs : invokedNs),
    0,
  )
