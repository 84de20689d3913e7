import { judge, type Verdict } from './aims.ts'
import { type Bar, bars, type Panel } from './bars.ts'
import type { Comparison } from './compare.ts'
import { type Figure, type Figures, figuresOf, ratioOf } from './figures.ts'
import type { Leg } from './leg.ts'
import { others, ours, type Peer } from './peers.ts'
import { round, type Table, times, timesWithin } from './tables.ts'
import { type Workload, workloads } from './workloads.ts'

type Engine = 'sqlite' | 'postgres'

const ceiling = 'node-http'
const rollcallOn = { sqlite: 'rollcall', postgres: 'rollcall-postgres' }

interface LegFigures {
  readonly legs: readonly Leg[]
  readonly figures: Figures
}

/** The results of a comparison as tables and panels. */
export const comparisonTables = ({ legs }: Comparison) => {
  const measured = { legs, figures: figuresOf(legs) }
  return {
    verdicts: verdictTable(judge(legs)),
    leaders: leaderTable(measured),
    ratios: (engine: Engine) => ratioTable(engine, measured),
    costs: (engine: Engine) => costTable(engine, measured),
    drawing: (engine: Engine, title: string) => bars(title, panelsOf(engine, measured.figures)),
  }
}

const verdictTable = (verdicts: readonly Verdict[]): Table => ({
  head: ['workload', 'relative to', 'aim', 'measured', ''],
  rows: verdicts.map(({ what, relativeTo, aim, measured, unit, verdict }) => {
    const { median, low, high } = measured
    const shown = unit === '×' ? timesWithin(measured) : `${round(median)} ms (${round(low)}–${round(high)})`
    return [what, relativeTo, aim, shown, verdict]
  }),
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

/** How many times as many requests a second Rollcall answers. */
const ratioTable = (engine: Engine, { legs, figures }: LegFigures): Table => {
  const columns = workloadsOn(engine, figures)
  return {
    head: ['Rollcall relative to', ...columns.map(({ title }) => title)],
    rows: peersOn(engine, figures).map(({ name, title }) => [
      title,
      ...columns.map((workload) => timesWithin(lead(legs, { engine, peer: name, workload: workload.name }))),
    ]),
  }
}

interface Rivalry {
  readonly engine: Engine
  readonly peer: string
  readonly workload: string
}

const lead = (legs: readonly Leg[], { engine, peer, workload }: Rivalry) =>
  ratioOf(legs, { peer: rollcallOn[engine], workload }, { peer, workload })

/** What a request to Rollcall costs, and on SQLite how long it takes the ceiling. */
const costTable = (engine: Engine, { figures }: LegFigures): Table => ({
  head: [
    ...['', 'requests/s', 'p50 ms', 'p99 ms', 'processor µs', 'bytes written', 'resident MiB'],
    ...(engine === 'sqlite' ? ['p99 ms of the ceiling'] : []),
  ],
  rows: workloads.flatMap(({ name, title }) => {
    const own = figures(rollcallOn[engine], name)
    if (!own) return []
    const limit = figures(ceiling, name)
    const { perSecond, p50Ms, p99Ms, cpuUs, writtenBytes, residentBytes } = own
    const cells = [perSecond.median, p50Ms, p99Ms.median, cpuUs, writtenBytes, residentBytes / 2 ** 20]
    const beside = engine === 'sqlite' ? [limit ? round(limit.p99Ms.median) : '–'] : []
    return [[title, ...cells.map(round), ...beside]]
  }),
})

const panelsOf = (engine: Engine, figures: Figures): readonly Panel[] => {
  const rollcall = ours.filter(({ name }) => name === rollcallOn[engine])
  const peers = [...rollcall, ...peersOn(engine, figures)]
  return workloadsOn(engine, figures).map(({ name, title }) => ({
    title,
    bars: peers
      .flatMap((peer) => barOf(peer, figures(peer.name, name), figures(rollcallOn[engine], name)))
      .toSorted((a, b) => b.value - a.value),
  }))
}

const barOf = (peer: Peer, figure: Figure | undefined, own: Figure | undefined): readonly Bar[] => {
  if (!figure || !own) return []
  const { median: value, low: min, high: max } = figure.perSecond
  const isOurs = ours.some(({ name }) => name === peer.name)
  const kind = peer.fixed ? 'limit' : isOurs ? 'ours' : 'theirs'
  const note = `${times(value / own.perSecond.median)} · ${thousands(value)}/s`
  return [{ label: peer.title, kind, value, min, max, note }]
}

const thousands = (value: number) => (value >= 1000 ? `${round(value / 1000)}k` : round(value))

/** Where a service other than the ceiling answers more requests than Rollcall. */
const leaderTable = ({ legs, figures }: LegFigures): Table => ({
  head: ['peer that answers more', 'workload', 'Rollcall relative to it'],
  rows: (['sqlite', 'postgres'] as const).flatMap((engine) =>
    workloadsOn(engine, figures).flatMap((workload) =>
      peersOn(engine, figures)
        .filter(({ fixed, name }) => !fixed && !ours.some((each) => each.name === name))
        .flatMap(({ name, title }) => {
          const ratio = lead(legs, { engine, peer: name, workload: workload.name })
          return ratio && ratio.median < 1 ? [[title, workload.title, timesWithin(ratio)]] : []
        }),
    ),
  ),
})
