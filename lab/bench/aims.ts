import { figuresOf, type Interval, ratioOf, type Series } from './figures.ts'
import type { Leg } from './leg.ts'
import { others } from './peers.ts'
import { workloads } from './workloads.ts'

export interface Verdict {
  readonly what: string
  /** What the measured figure is relative to. Empty for a time. */
  readonly relativeTo: string
  readonly aim: string
  readonly measured: Interval
  readonly unit: '×' | 'ms'
  /** By the worse end of the interval; undecided if only the better end meets the aim. */
  readonly verdict: 'met' | 'undecided' | 'missed'
}

interface Aim {
  readonly what: string
  /** The title of what it is compared with. */
  readonly baselineTitle: string
  readonly subject: Series
  readonly baseline: Series
  readonly minRatio: number
}

const titleOf = (list: readonly { readonly name: string; readonly title: string }[], wanted: string) =>
  list.find(({ name }) => name === wanted)?.title ?? wanted
const measurement = (peer: string, workload: string): Series => ({ peer, workload })
const aimAgainstPeer = (other: string, workload: string, minRatio: number): Aim => ({
  what: titleOf(workloads, workload),
  baselineTitle: titleOf(others, other),
  subject: measurement(
    other.endsWith('postgres') || other.endsWith('pg') ? 'rollcall-postgres' : 'rollcall',
    workload,
  ),
  baseline: measurement(other, workload),
  minRatio,
})
const aimWithinRollcall = (workload: string, baseline: string, minRatio: number): Aim => ({
  what: titleOf(workloads, workload),
  baselineTitle: titleOf(workloads, baseline),
  subject: measurement('rollcall', workload),
  baseline: measurement('rollcall', baseline),
  minRatio,
})

const signedIn = (name: string, how: string): Aim => ({
  what: `${titleOf(workloads, 'get')}, ${how}`,
  baselineTitle: `${titleOf(workloads, 'get')}, open access`,
  subject: measurement(`rollcall-${name}`, 'get'),
  baseline: measurement('rollcall', 'get'),
  minRatio: 0.85,
})

const aims: readonly Aim[] = [
  aimAgainstPeer('node-http', 'get', 0.75),
  aimAgainstPeer('node-http', 'not-modified', 0.9),
  aimAgainstPeer('node-http', 'unknown', 0.6),
  aimAgainstPeer('node-http', 'invalid', 0.6),
  aimAgainstPeer('fastify-sqlite', 'unknown', 1.15),
  aimAgainstPeer('fastify-sqlite', 'create', 4),
  aimAgainstPeer('fastify-sqlite', 'create-c1', 0.95),
  aimAgainstPeer('nest-fastify', 'create', 8),
  aimAgainstPeer('pocketbase', 'create', 8),
  aimAgainstPeer('fastify-sqlite', 'finish', 3),
  aimAgainstPeer('fastify-sqlite', 'finish-open', 3),
  aimAgainstPeer('fastify-sqlite', 'mixed', 1.9),
  aimAgainstPeer('fastify-sqlite', 'list', 2),
  aimWithinRollcall('get-xml', 'get', 0.6),
  aimWithinRollcall('list-xml', 'list', 0.6),
  signedIn('basic', 'warm login'),
  signedIn('token', 'with a token'),
  signedIn('key', 'with a key'),
  aimWithinRollcall('batch', 'create', 0.02),
  aimWithinRollcall('invalid-problem', 'invalid', 0.95),
  aimWithinRollcall('invalid-japanese', 'invalid', 0.95),
  aimAgainstPeer('fastify-postgres', 'get', 1.3),
  aimAgainstPeer('fastify-postgres', 'create', 1.3),
]

const latencies: readonly { subject: Series; maxMs: number }[] = [
  { subject: measurement('rollcall', 'get'), maxMs: 3 },
  { subject: measurement('rollcall', 'create'), maxMs: 12 },
]

/** The aims next to what was measured. An aim that was not measured is left out. */
export const judge = (legs: readonly Leg[]): readonly Verdict[] => [
  ...aims.flatMap(({ what, baselineTitle, subject, baseline, minRatio }) => {
    const measured = ratioOf(legs, subject, baseline)
    if (measured === undefined) return []
    const verdict = verdictOf(measured.low >= minRatio, measured.high >= minRatio)
    const aim = `≥ ${minRatio} ×`
    return [{ what, relativeTo: baselineTitle, aim, measured, unit: '×' as const, verdict }]
  }),
  ...latencies.flatMap(({ subject, maxMs }) => {
    const measured = figuresOf(legs)(subject.peer, subject.workload)?.p99Ms
    if (measured === undefined) return []
    const what = `${titleOf(workloads, subject.workload)}, p99`
    const verdict = verdictOf(measured.high <= maxMs, measured.low <= maxMs)
    return [{ what, relativeTo: '', aim: `≤ ${maxMs} ms`, measured, unit: 'ms' as const, verdict }]
  }),
]

const verdictOf = (worseMeets: boolean, betterMeets: boolean): Verdict['verdict'] =>
  worseMeets ? 'met' : betterMeets ? 'undecided' : 'missed'
