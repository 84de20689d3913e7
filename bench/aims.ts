import type { Comparison } from './compare.ts'
import { type Costs, type Measured, ratioOf } from './figures.ts'
import { isAskedAlone, others, ours } from './peers.ts'
import { workloads } from './workloads.ts'

export interface Verdict {
  readonly what: string
  /** What the measured figure is relative to. Empty for a time. */
  readonly to: string
  readonly aim: string
  readonly measured: number
  readonly unit: '×' | 'ms'
  readonly met: boolean
}

interface Aim {
  readonly what: string
  /** The title of what it is compared with. */
  readonly than: string
  readonly of: Measured
  readonly to: Measured
  readonly least: number
}

const titleOf = (list: readonly { readonly name: string; readonly title: string }[], wanted: string) =>
  list.find(({ name }) => name === wanted)?.title ?? wanted
const of = (peer: string, workload: string): Measured => ({ peer, workload })
const against = (other: string, workload: string, least: number): Aim => ({
  what: titleOf(workloads, workload),
  than: titleOf(others, other),
  of: of(other.endsWith('postgres') || other.endsWith('pg') ? 'rollcall-postgres' : 'rollcall', workload),
  to: of(other, workload),
  least,
})
const within = (workload: string, to: string, least: number): Aim => ({
  what: titleOf(workloads, workload),
  than: titleOf(workloads, to),
  of: of('rollcall', workload),
  to: of('rollcall', to),
  least,
})

const aims: readonly Aim[] = [
  against('node-http', 'get', 0.75),
  against('node-http', 'not-modified', 0.9),
  against('node-http', 'unknown', 0.6),
  against('node-http', 'invalid', 0.6),
  against('fastify-sqlite', 'create', 4),
  against('nest-fastify', 'create', 8),
  against('fastify-sqlite', 'finish', 3),
  against('fastify-sqlite', 'finish-open', 3),
  against('fastify-sqlite', 'mixed', 1.9),
  against('fastify-sqlite', 'list', 2),
  within('get-xml', 'get', 0.6),
  within('list-xml', 'list', 0.6),
  {
    what: `${titleOf(workloads, 'get')}, warm login`,
    than: `${titleOf(workloads, 'get')}, open access`,
    of: of('rollcall-basic', 'get'),
    to: of('rollcall', 'get'),
    least: 0.85,
  },
  within('invalid-problem', 'invalid', 0.95),
  within('invalid-japanese', 'invalid', 0.95),
  against('fastify-postgres', 'get', 1.3),
  against('fastify-postgres', 'create', 1.3),
]

const latencies: readonly { of: Measured; mostMs: number }[] = [
  { of: of('rollcall', 'get'), mostMs: 3 },
  { of: of('rollcall', 'create'), mostMs: 12 },
]

type Judged = Pick<Comparison, 'form' | 'samples' | 'solos'>

const askedAlone = new Set([...ours, ...others].filter(isAskedAlone).map(({ name }) => name))

/** The aims next to what was measured. An aim that was not measured is left out. */
export const judge = ({ form, samples, solos }: Judged, costs: Costs): readonly Verdict[] => [
  ...aims.flatMap(({ what, than, of, to, least }) => {
    const isAlone = form === 'full' && askedAlone.has(of.peer) && askedAlone.has(to.peer)
    const measured = ratioOf(isAlone ? solos : samples, of, to)
    if (measured === undefined) return []
    return [
      {
        what: isAlone ? `${what} (alone)` : what,
        to: than,
        aim: `≥ ${least} ×`,
        measured,
        unit: '×' as const,
        met: measured >= least,
      },
    ]
  }),
  ...latencies.flatMap(({ of, mostMs }) => {
    const measured = costs(of.peer, of.workload)?.p99Ms
    if (measured === undefined) return []
    const what = `${titleOf(workloads, of.workload)}, p99`
    return [{ what, to: '', aim: `≤ ${mostMs} ms`, measured, unit: 'ms' as const, met: measured <= mostMs }]
  }),
]
