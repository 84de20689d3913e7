import { disturber } from './event.ts'
import type { Operation } from './operation.ts'

/** What the load saw, slice by slice. */
export interface Timeline {
  readonly sliceMs: number
  readonly answered: readonly number[]
  readonly unknown: readonly number[]
  /** The first and last slice of each fault. */
  readonly faults: readonly (readonly [number, number])[]
}

const slices = 120

export const timelineOf = (operations: readonly Operation[]): Timeline => {
  const load = operations.filter(({ op }) => !['fault', 'list', 'roster', 'audit'].includes(op))
  const lastNs = Math.max(...load.map(({ invokedNs }) => invokedNs))
  const sliceNs = Math.max(1e6, lastNs / slices)
  const slice = (ns: number) => Math.min(slices - 1, Math.floor(ns / sliceNs))
  const count = (chosen: readonly Operation[]) => {
    const counts = Array.from({ length: slices }, () => 0)
    for (const { invokedNs } of chosen) counts[slice(invokedNs)] = (counts[slice(invokedNs)] ?? 0) + 1
    return counts
  }
  return {
    sliceMs: Math.round(sliceNs / 1e6),
    answered: count(
      load.filter(({ outcome, error }) => outcome === 'ok' || /absent|changed|in use/.test(error ?? '')),
    ),
    unknown: count(load.filter(({ outcome }) => outcome === 'info')),
    faults: operations
      .filter(({ process, op }) => process === disturber && op === 'fault')
      .map(({ invokedNs, endedNs }) => [slice(invokedNs), slice(endedNs)] as const),
  }
}
