import { judge, type Verdict } from './aims.ts'
import { type Bar, bars, type Panel } from './bars.ts'
import type { Comparison } from './compare.ts'
import { type Costs, costsOf, type Figures, figuresOf, ratioOf } from './figures.ts'
import { others, ours, type Peer } from './peers.ts'
import { round, type Table, times } from './tables.ts'
import { type Workload, workloads } from './workloads.ts'

type Engine = 'sqlite' | 'postgres'

const ceiling = 'node-http'
const rollcallOn = { sqlite: 'rollcall', postgres: 'rollcall-postgres' }

/** The results of a comparison as tables and panels. */
export const compared = (comparison: Comparison) => {
  const { samples, solos } = comparison
  const figures = figuresOf(samples)
  const costs = costsOf(solos)
  const verdicts = judge(comparison, costs)
  return {
    verdicts: verdictTable(verdicts),
    leaders: leaderTable({ samples, figures }),
    ratios: (engine: Engine) => ratioTable(engine, { samples, figures }),
    latencies: (engine: Engine) => costTable(engine, { solos, costs }),
    drawing: (engine: Engine, title: string) => bars(title, panelsOf(engine, figures)),
  }
}

const verdictTable = (verdicts: readonly Verdict[]): Table => ({
  head: ['workload', 'relative to', 'aim', 'measured', ''],
  rows: verdicts.map(({ what, relativeTo, aim, measured, unit, met }) => [
    what,
    relativeTo,
    aim,
    unit === '×' ? times(measured) : `${round(measured)} ms`,
    met ? 'met' : 'missed',
  ]),
})

/** The peers on this engine. The ceiling, which has none, counts as SQLite and comes first. */
const peersOn = (engine: Engine, figures: Figures): readonly Peer[] =>
  [...others, ...ours]
    .filter((peer) => peer.engine === engine || (peer.engine === 'none' && engine === 'sqlite'))
    .filter(({ name }) => name !== rollcallOn[engine] && workloads.some((each) => figures(name, each.name)))

const workloadsOn = (engine: Engine, figures: Figures): readonly Workload[] =>
  workloads.filter(
    ({ name }) =>
      figures(rollcallOn[engine], name) && peersOn(engine, figures).some((peer) => figures(peer.name, name)),
  )

type Measured = Pick<Comparison, 'samples'> & { readonly figures: Figures }

/** How many times as many requests a second Rollcall answers. */
const ratioTable = (engine: Engine, { samples, figures }: Measured): Table => {
  const columns = workloadsOn(engine, figures)
  return {
    head: ['Rollcall relative to', ...columns.map(({ title }) => title)],
    rows: peersOn(engine, figures).map(({ name, title }) => [
      title,
      ...columns.map((workload) => times(lead(samples, { engine, peer: name, workload: workload.name }))),
    ]),
  }
}

interface Rivalry {
  readonly engine: Engine
  readonly peer: string
  readonly workload: string
}

const lead = (samples: Measured['samples'], { engine, peer, workload }: Rivalry) =>
  ratioOf(samples, { peer: rollcallOn[engine], workload }, { peer, workload })

type MeasuredAlone = Pick<Comparison, 'solos'> & { readonly costs: Costs }

/** What a request to Rollcall costs, and on SQLite, where the ceiling is measured next to it, how they compare. */
const costTable = (engine: Engine, { solos, costs }: MeasuredAlone): Table => ({
  head: [
    ...['', 'requests/s', 'p50 ms', 'p99 ms', 'processor µs', 'bytes written', 'resident MiB'],
    ...(engine === 'sqlite' ? ['relative to the ceiling', 'its p99 ms'] : []),
  ],
  rows: workloads.flatMap(({ name, title }) => {
    const cost = costs(rollcallOn[engine], name)
    if (!cost) return []
    const { perSecond, p50Ms, p99Ms, cpuUs, writtenBytes, residentBytes } = cost
    const own = [perSecond, p50Ms, p99Ms, cpuUs, writtenBytes, residentBytes / 2 ** 20].map(round)
    return [[title, ...own, ...(engine === 'sqlite' ? besideCeiling({ solos, costs }, name) : [])]]
  }),
})

const besideCeiling = ({ solos, costs }: MeasuredAlone, workload: string) => {
  const limit = costs(ceiling, workload)
  if (!limit) return ['–', '–']
  return [
    times(ratioOf(solos, { peer: rollcallOn.sqlite, workload }, { peer: ceiling, workload })),
    round(limit.p99Ms),
  ]
}

const panelsOf = (engine: Engine, figures: Figures): readonly Panel[] => {
  const rollcall = ours.filter(({ name }) => name === rollcallOn[engine])
  const peers = [...rollcall, ...peersOn(engine, figures)]
  return workloadsOn(engine, figures).map(({ name, title }) => ({
    title,
    bars: peers
      .flatMap((peer) => barOf(peer, figures(peer.name, name), figures(rollcallOn[engine], name)?.perSecond))
      .toSorted((a, b) => b.value - a.value),
  }))
}

const barOf = (peer: Peer, figure: ReturnType<Figures>, own: number | undefined): readonly Bar[] => {
  if (!figure || own === undefined) return []
  const { perSecond: value, min, max } = figure
  const isOurs = ours.some(({ name }) => name === peer.name)
  const kind = peer.fixed ? 'limit' : isOurs ? 'ours' : 'theirs'
  return [
    {
      label: peer.title,
      kind,
      value,
      min,
      max,
      note: `${(value / own).toFixed(2)} × · ${thousands(value)}/s`,
    },
  ]
}

const thousands = (value: number) => (value >= 1000 ? `${round(value / 1000)}k` : round(value))

/** Where a service other than the ceiling answers more requests than Rollcall. */
const leaderTable = ({ samples, figures }: Measured): Table => ({
  head: ['peer that answers more', 'workload', 'times as many'],
  rows: (['sqlite', 'postgres'] as const).flatMap((engine) =>
    workloadsOn(engine, figures).flatMap((workload) =>
      peersOn(engine, figures)
        .filter(({ fixed, name }) => !fixed && !ours.some((each) => each.name === name))
        .flatMap(({ name, title }) => {
          const ratio = lead(samples, { engine, peer: name, workload: workload.name }) ?? 1
          return ratio < 1 ? [[title, workload.title, times(1 / ratio)]] : []
        }),
    ),
  ),
})
