import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '#lab/median.ts'
import type { Comparison } from './compare.ts'
import { compared } from './compared.ts'
import { type Disks, shown } from './disks.ts'
import { grown } from './grown.ts'
import type { Growth } from './growth.ts'
import { maxStolen, type Stolen } from './host.ts'
import type { Idle } from './idle.ts'
import type { Instances } from './instances.ts'
import type { Neighbours } from './neighbours.ts'
import { unavailable } from './peers.ts'
import { type Circumstances, kept } from './results.ts'
import { markdownTable, plainTable, round, type Table, times } from './tables.ts'

const docs = join(import.meta.dirname, '../../docs')
const drawings = join(docs, 'benchmarks')
const findingsFile = join(import.meta.dirname, 'findings.md')

/** The same for a terminal. */
export const printed = (comparison: Comparison) => {
  const { verdicts, ratios, latencies, leaders } = compared(comparison)
  const tables = [
    ratios('sqlite'),
    ratios('postgres'),
    latencies('sqlite'),
    latencies('postgres'),
    verdicts,
    leaders,
  ]
  return `${tables.filter(hasRows).map(plainTable).join('\n\n')}\n`
}

/** Writes the page and its drawings. */
export const writeReport = () => {
  const comparison = kept<Comparison>('compare')
  if (!comparison) return
  mkdirSync(drawings, { recursive: true })
  const sections = [
    introduction(comparison),
    ...comparisonSections(comparison),
    ...diskSections(kept<Disks>('disks')),
    ...growthSections(kept<Growth>('growth')),
    ...neighbourSections(kept<Neighbours>('neighbours')),
    ...idleSections(kept<Idle>('idle')),
    ...instanceSections(kept<Instances>('instances')),
    findings(),
    again,
  ]
  writeFileSync(join(docs, 'benchmarks.md'), `${sections.filter((each) => each !== '').join('\n\n')}\n`)
}

const introduction = ({
  form,
  rounds,
  laps,
  legMs,
  passes,
  missing,
  stolen,
  ...where
}: Comparison) => `# Benchmarks

Rollcall next to other services that keep the same todos under the same paths and as durably: a write is answered once it
is on the disk. Rollcall is measured as it is shipped: validation, tracking ids, entity tags, the access check, the
request log and durability are on. Its peers are in \`lab/bench/peers\`, each written as its own documentation shows,
without a request log.

**Side by side.** All services share one core; the load (wrk, one thread per service) runs on the other. For each workload all services
are warmed up and then run one at a time while the others pause: ${legMs} ms each, ${laps} times around. That is a turn. Each workload has one turn, and everything is done ${rounds === 1 ? 'once' : `${rounds} times, with all services started anew`}. A ratio is the median of the ratios within each lap, so whatever else the
machine did, it did to all of them. A leg during which the host gave processors to others is not counted; to replace such legs, up to
twice as many laps are run. **Ratios hold on other machines, absolute figures do not.**

**Alone.** What a request to Rollcall costs, and how long a caller waits, is measured while no other service is asked: Rollcall and the
ceiling (\`node:http\` with a fixed answer) take turns of ${(laps * legMs) / 1000} s, ${passes === 1 ? 'once' : `${passes} times`}. In the full form, comparisons of Rollcall with itself or with
the ceiling use these figures (“alone”). Latencies are those of a closed loop: each connection asks again as soon as it is answered.

**The host.** ${hostShare(stolen)}

${place(where, form)}
${[...missing, ...unavailable].map((line) => `- Not measured: ${line}`).join('\n')}`

/** How quiet the host was. */
const hostShare = ({ shares, again, waitedMs }: Stolen) => {
  const percent = (share: number) => `${round(share * 100)} %`
  const sorted = shares.toSorted((one, other) => one - other)
  const ninth = sorted[Math.floor(sorted.length * 0.9)] ?? 0
  return `In the median of ${shares.length.toLocaleString('en')} measurements the host of the machine gave ${percent(median(shares))} of the processors to others, in nine of ten no more than ${percent(ninth)}. Where it was more than ${percent(maxStolen)}, what Rollcall does alone was measured again while there was patience: ${again.toLocaleString('en')} times in all. The bench waited ${Math.round(waitedMs / 60_000)} minutes for quiet moments.`
}

const place = ({ machine, node, date, pinned }: Circumstances, form: string) =>
  `Measured on ${date} on ${machine}, Node ${node}, the ${form} form${pinned ? '' : '; service and load not on cores of their own'}.\n`

const comparisonSections = (comparison: Comparison): readonly string[] => {
  const { verdicts, leaders, ratios, latencies, drawing } = compared(comparison)
  return [
    section('Aims', markdownTable(verdicts), ...(hasRows(leaders) ? [markdownTable(leaders)] : [])),
    section(
      'On SQLite',
      draw('sqlite', 'Requests per second on SQLite', drawing('sqlite', 'Requests per second on SQLite')),
      markdownTable(ratios('sqlite')),
    ),
    section('What a request costs on SQLite', markdownTable(latencies('sqlite'))),
    ...postgresSections(ratios('postgres'), () => [
      draw(
        'postgres',
        'Requests per second on PostgreSQL',
        drawing('postgres', 'Requests per second on PostgreSQL'),
      ),
      markdownTable(ratios('postgres')),
      'The database runs on the core of the load.',
      markdownTable(latencies('postgres')),
    ]),
  ]
}

const postgresSections = (table: Table, parts: () => readonly string[]) =>
  hasRows(table) ? [section('On PostgreSQL', ...parts())] : []

export const diskSections = (disks: Disks | undefined) => {
  if (!disks) return []
  const text = `Each service on the first core, its load on the other, medians of ${disks.rounds} rounds; a preloaded library makes each sync so much longer. All services sync each commit. Reads are of 16 callers. On Rollcall a sync makes only writers wait ([decision 0017](decisions/0017-one-writer.md)). Each figure is of one second after a short warm-up. At 10 and 50 ms the peers' writes of 32 and 128 callers are understated: writes left over from the measurement before are done first, and where no round of answers fitted into the second there is a dash. They sync one write at a time, so what they do for a lone caller is the better figure.`
  return [section('On disks that take their time', text, markdownTable(shown(disks)))]
}

const growthSections = (growth: Growth | undefined) => {
  if (!growth) return []
  const { table, searches } = grown(growth)
  const text = `Services of three sizes, measured in ${growth.turns} turns, each in the reverse order of the one before. Each figure is the median of all turns, the last column the median of the ratios within each turn; inserts were measured while the databases were filled. Pages are requested one after the other, everything else over 32 connections.`
  return [section('As it grows', text, markdownTable(table), markdownTable(searches))]
}

const neighbourSections = (neighbours: Neighbours | undefined) => {
  if (!neighbours) return []
  const { felt, size, rounds, othersYield } = neighbours
  const table = {
    head: [
      'while another',
      'p50 ms',
      'p99 ms',
      'p99, relative to idle',
      'longest ms',
      'event loop late by at most, ms',
    ],
    rows: felt.map(({ others, p50Ms, p99Ms, timesIdle, maxMs, stallMs }) => [
      others,
      ...[p50Ms, p99Ms].map(round),
      times(timesIdle),
      round(maxMs),
      round(stallMs),
    ]),
  }
  const text = `How long a reader of single members waits in a service of ${size.toLocaleString('en')} members while four other callers do something over and over. All share both cores${othersYield ? '; the programs of the four, which would be on other machines, take only what the service and the reader leave' : ''}. Medians of ${rounds} rounds; longest waits are the longest of all rounds.`
  return [section('Nobody waits for another', text, markdownTable(table))]
}

const idleSections = (idle: Idle | undefined) => {
  if (!idle) return []
  const { emptyStartMs, millionStartMs, residentBytes, listedBytes, connections, bytesPerConnection } = idle
  const rows = [
    ['start to first answer, empty database', `${round(emptyStartMs)} ms`],
    ['start to first answer, a million members and todos', `${round(millionStartMs)} ms`],
    ['resident memory, idle', `${round(residentBytes / 1e6)} MB`],
    ['resident memory, idle, after the first list (read by a thread)', `${round(listedBytes / 1e6)} MB`],
    [
      `memory per connection, with ${connections.toLocaleString('en')} idle ones`,
      `${round(bytesPerConnection / 1024)} KiB`,
    ],
  ]
  return [section('Idle', markdownTable({ head: ['', ''], rows }))]
}

const instanceSections = (instances: Instances | undefined) => {
  if (!instances) return []
  const { cores, scaled } = instances
  const table = {
    head: [
      '',
      'one, requests/s',
      'one, half the callers',
      'two',
      'two to one',
      'predicted',
      'off by',
      'instance µs',
      'all µs',
    ],
    rows: scaled.map((each) => [
      each.workload,
      round(each.onePerSecond),
      round(each.halfPerSecond),
      round(each.twoPerSecond),
      times(each.twoPerSecond / each.onePerSecond),
      round(each.predictedPerSecond),
      `${Math.round((each.predictedPerSecond / each.twoPerSecond - 1) * 100)} %`,
      round(each.instanceUs),
      round(each.machineUs),
    ]),
  }
  const text = `One instance and two on one PostgreSQL, on ${cores} cores that the instances, the database and the load share. Each of the two has half of the callers, so the prediction starts from one instance with half of them (the last two columns are its processor time per request) and knows nothing of the two: reads add up until the cores are full; commits also queue for the disk. [Scaling](scaling.md#the-model) has the model.`
  return [section('Two instances', text, markdownTable(table))]
}

const hasRows = ({ rows }: Table) => rows.length > 0

const section = (title: string, ...parts: readonly string[]) => [`## ${title}`, ...parts].join('\n\n')

const draw = (name: string, title: string, svg: string) => {
  writeFileSync(join(drawings, `${name}.svg`), svg)
  return `![${title}](benchmarks/${name}.svg)`
}

/** Written by hand; its links are rewritten to lead from the page to the same files. */
const findings = () =>
  existsSync(findingsFile) ? readFileSync(findingsFile, 'utf8').trim().replaceAll('](../../docs/', '](') : ''

const again = section(
  'Measuring it again',
  '`npm --prefix lab run bench` takes three minutes, `npm --prefix lab run bench -- full` three quarters of an hour, and up to twice as long if the host gives the processors to others. The first run installs the peers. Close other programs: two cores are enough, but both are needed.',
)
