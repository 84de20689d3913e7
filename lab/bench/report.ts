import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '#lab/median.ts'
import type { Comparison } from './compare.ts'
import { comparisonTables } from './comparison-tables.ts'
import { type Disks, disksTable } from './disks.ts'
import type { Growth } from './growth.ts'
import { growthTables } from './growth-tables.ts'
import { maxSteal, type StealTime } from './host.ts'
import { hostSections, saveAims } from './hosts.ts'
import type { Idle } from './idle.ts'
import type { Instances } from './instances.ts'
import { legMs } from './leg.ts'
import type { Neighbours } from './neighbours.ts'
import { unavailable } from './peers.ts'
import { readResult } from './results.ts'
import { markdownTable, plainTable, round, type Table, times } from './tables.ts'

const docs = join(import.meta.dirname, '../../docs')
const findingsFile = join(import.meta.dirname, 'findings.md')

/** The comparison as text for a terminal. */
export const terminalText = (comparison: Comparison) => {
  const { verdicts, ratios, costs, leaders } = comparisonTables(comparison)
  const tables = [
    ...[ratios('sqlite'), ratios('postgres'), costs('sqlite'), costs('postgres')],
    ...[verdicts, leaders],
  ]
  return `${tables.filter(hasRows).map(plainTable).join('\n\n')}\n`
}

/** Writes the page of this host, if it was measured, and the page of all hosts. */
export const writeReport = () => {
  const comparison = readResult<Comparison>('compare')
  if (comparison) writeHost(comparison)
  const sections = [introduction, ...hostSections(), findings(), again]
  writeFileSync(join(docs, 'benchmarks.md'), `${sections.join('\n\n')}\n`)
}

const writeHost = (comparison: Comparison) => {
  const { host, date, commit, form } = comparison
  const folder = saveAims({ host, date, commit, form, aims: comparisonTables(comparison).verdicts.rows })
  const sections = [
    place(comparison),
    ...comparisonSections(comparison, folder),
    ...diskSections(readResult<Disks>('disks')),
    ...growthSections(readResult<Growth>('growth')),
    ...neighbourSections(readResult<Neighbours>('neighbours')),
    ...idleSections(readResult<Idle>('idle')),
    ...instanceSections(readResult<Instances>('instances')),
  ]
  writeFileSync(join(folder, 'README.md'), `${sections.join('\n\n')}\n`)
}

const introduction = `# Benchmarks

On one core, Rollcall is compared with other services that keep the same todos under the same paths and equally durably: they answer a
write when it is on the disk. [Aims](#aims) shows which aims Rollcall meets. It is measured as it is shipped, with validation, tracking ids, entity
tags, the access check, the request log, the log of changes and durability. Its peers are in \`lab/bench/peers\`, each written as its own
documentation shows, without a request log.

**Legs.** All services share one core; the load (wrk, one thread) runs on the other. A leg is ${legMs / 1000} s in which only one service is loaded and the others
are idle. In a lap each service has one leg; the next lap has the reverse order. Shorter legs would measure how cold the caches are
(\`bench -- legs\` shows it). After some laps all services are started again, because the compiler optimises differently at each start.

**Ratios.** A lap gives the ratio of two services; the table has the median of all laps. In parentheses are the two measured ratios between which the
true median lies with 95 % certainty (with fewer than six laps the extremes, which is less certain). An aim is met if the worse of the two meets it,
missed if neither does, and undecided otherwise. **No ratio is true for every machine, so several hosts are shown. Absolute figures are only true for
one host and one hour.**

**Latencies** are those of a closed loop: each connection sends its next request as soon as it has an answer.`

const place = (comparison: Comparison) => {
  const { host, system, node, date, commit, form, pinned, rounds, laps, syncMs, stolen, missing } = comparison
  return `# Measured on ${host}

On ${date}, commit ${commit}, ${system}, Node ${node}, the ${form} form: ${laps} laps after each of ${rounds} starts. ${pinned ? '' : 'Service and load were not on cores of their own. '}A page takes ${round(syncMs)} ms to be durable. [Benchmarks](../../benchmarks.md) has the method and the aims.

${hostShare(stolen)}

${[...missing, ...unavailable].map((line) => `- Not measured: ${line}`).join('\n')}`
}

/** How quiet the host was. */
const hostShare = ({ shares, again, waitedMs }: StealTime) => {
  const percent = (share: number) => `${round(share * 100)} %`
  const sorted = shares.toSorted((one, other) => one - other)
  const ninth = sorted[Math.floor(sorted.length * 0.9)] ?? 0
  return `In the median lap the host of the machine gave ${percent(median(shares))} of the processors to others, in nine of ten no more than ${percent(ninth)}. A lap that lost more than ${percent(maxSteal)} was measured again while there was patience: ${again.toLocaleString('en')} times in all. The bench waited ${Math.round(waitedMs / 60_000)} minutes for quiet moments.`
}

const comparisonSections = (comparison: Comparison, folder: string): readonly string[] => {
  const { leaders, ratios, costs, drawing } = comparisonTables(comparison)
  const draw = (engine: 'sqlite' | 'postgres', title: string) => {
    writeFileSync(join(folder, `${engine}.svg`), drawing(engine, title))
    return `![${title}](${engine}.svg)`
  }
  return [
    ...(hasRows(leaders) ? [section('Who answers more', markdownTable(leaders))] : []),
    ...(hasRows(ratios('sqlite'))
      ? [
          section(
            'On SQLite',
            draw('sqlite', 'Requests per second on SQLite'),
            markdownTable(ratios('sqlite')),
          ),
          section('The cost of a request on SQLite', markdownTable(costs('sqlite'))),
        ]
      : []),
    ...(hasRows(ratios('postgres'))
      ? [
          section(
            'On PostgreSQL',
            draw('postgres', 'Requests per second on PostgreSQL'),
            markdownTable(ratios('postgres')),
            'The database runs on the core of the load.',
            markdownTable(costs('postgres')),
          ),
        ]
      : []),
  ]
}

const diskSections = (disks: Disks | undefined) => {
  if (!disks) return []
  const text = `Each service on the first core, its load on the other, medians of ${disks.rounds} rounds; a preloaded library makes each sync so much longer. All services sync each commit. Reads are of 16 callers. On Rollcall a sync makes only writers wait ([decision 0017](../../decisions/0017-one-writer.md)). Each figure is of one second after a short warm-up. At 10 and 50 ms the peers' writes of 32 and 128 callers are understated: writes left over from the measurement before are done first, and where no round of answers fitted into the second there is a dash. They sync one write at a time, so what they do for a lone caller is the better figure.`
  return [section('On disks that take their time', text, markdownTable(disksTable(disks)))]
}

const growthSections = (growth: Growth | undefined) => {
  if (!growth) return []
  const { table, searches } = growthTables(growth)
  const text = `Services of three sizes, measured in ${growth.turns} turns, each in the reverse order of the one before. Each figure is the median of all turns, the last column the median of the ratios within each turn; inserts come last, in turns too, without a service. Pages are requested one after the other, everything else over 32 connections.`
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
  const text = `One instance and two on one PostgreSQL, on ${cores} cores that the instances, the database and the load share. Each of the two has half of the callers, so the prediction starts from one instance with half of them (the last two columns are its processor time per request) and knows nothing of the two: reads add up until the cores are full; durable writes do not add up. [Scaling](../../scaling.md#the-model) has the model.`
  return [section('Two instances', text, markdownTable(table))]
}

const hasRows = ({ rows }: Table) => rows.length > 0

const section = (title: string, ...parts: readonly string[]) => [`## ${title}`, ...parts].join('\n\n')

/** Written by hand; its links are rewritten to lead from the page to the same files. */
const findings = () => readFileSync(findingsFile, 'utf8').trim().replaceAll('](../../docs/', '](')

const again = `## Measuring it again

\`npm --prefix lab run bench\` takes eight minutes; with \`-- --peers rollcall,fastify-sqlite,node-http\` five. \`-- full\` takes more than an
hour, and longer if the host gives the processors to others. Both measure alike, the full form more often. The first run installs
the peers. Close other programs: two cores are enough, but both are needed.`
