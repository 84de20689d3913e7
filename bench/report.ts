import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from './compare.ts'
import { compared } from './compared.ts'
import { median } from './figures.ts'
import { grown } from './grown.ts'
import type { Growth } from './growth.ts'
import { mostStolen, type Stolen } from './host.ts'
import type { Idle } from './idle.ts'
import type { Instances } from './instances.ts'
import type { Neighbours } from './neighbours.ts'
import { unreachable } from './peers.ts'
import { type Circumstances, kept } from './results.ts'
import { markdownTable, plainTable, round, type Table, times } from './tables.ts'

const docs = join(import.meta.dirname, '../docs')
const drawings = join(docs, 'benchmarks')
const findingsFile = join(import.meta.dirname, 'findings.md')

/** What a terminal is shown. */
export const printed = (comparison: Comparison) => {
  const { verdicts, ratios, latencies, leaders } = compared(comparison)
  const tables = [ratios('sqlite'), ratios('postgres'), latencies('sqlite'), latencies('postgres'), verdicts]
  return `${[...tables.filter(hasRows).map(plainTable), ...leaders].join('\n\n')}\n`
}

/** Writes the page and its drawings. */
export const writeReport = () => {
  const comparison = kept<Comparison>('compare')
  if (!comparison) return
  mkdirSync(drawings, { recursive: true })
  const sections = [
    introduction(comparison),
    ...comparisonSections(comparison),
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
  turns,
  laps,
  legMs,
  passes,
  missing,
  stolen,
  ...where
}: Comparison) => `# Benchmarks

Rollcall beside other services that keep the same todos under the same paths, as firmly: a write is answered when it
is on the disk. Rollcall is measured as it is shipped: validation, tracking ids, entity tags, the access check, the
request log and durability are on. Its peers stand in \`bench/peers\`, each written as its own documentation shows it,
without a request log.

All services stand on one core, with the load (${where.load}, one thread for each) on the other. Of every workload all are asked in one
stretch, of which one runs at a time and the others pause: ${legMs} ms each, ${laps} times around, after warming up. That is a turn; there
${turns === 1 ? 'is one' : `are ${turns}`} of each workload, and all of that ${rounds === 1 ? 'once' : `${rounds} times, started anew`}. A ratio is the median of the ratios within each lap: whatever else the
machine did meanwhile, it did to all of them; and what the host of the machine did to a leg is left out: where it gave processors
to others meanwhile, the leg is not counted, and up to twice as many are run. **Ratios hold on other machines, absolute figures do not.** What Rollcall takes for
a request, and how long one waits, is measured while nobody else is asked, ${(laps * legMs) / 1000} s at a time, the ceiling beside it, in turns,
${passes === 1 ? 'once' : `${passes} times`}; in the full form what compares Rollcall with itself or with the ceiling is told of that (“alone”). Latencies are those of a closed loop: each connection asks again as soon as it is answered. ${told(stolen)}

${place(where, form)}
${[...missing, ...unreachable].map((line) => `- Not measured: ${line}`).join('\n')}`

/** How quiet the host was. */
const told = ({ shares, again, waitedMs }: Stolen) => {
  const percent = (share: number) => `${round(share * 100)} %`
  const sorted = shares.toSorted((one, other) => one - other)
  const ninth = sorted[Math.floor(sorted.length * 0.9)] ?? 0
  return `Of the processors the host of the machine gave ${percent(median(shares))} to others, in the median of ${shares.length.toLocaleString('en')} turns, and no more than ${percent(ninth)} in nine of ten; where it was more than ${percent(mostStolen)}, what Rollcall takes by itself was measured again, ${again.toLocaleString('en')} times in all, while there was patience. For moments in which it took nothing ${Math.round(waitedMs / 60_000)} minutes were waited.`
}

const place = ({ machine, node, date, pinned }: Circumstances, form: string) =>
  `Measured on ${date} on ${machine}, Node ${node}, the ${form} form${pinned ? '' : '; without a core for each'}.\n`

const comparisonSections = (comparison: Comparison): readonly string[] => {
  const { verdicts, leaders, ratios, latencies, drawing } = compared(comparison)
  return [
    section('What was aimed at', markdownTable(verdicts), ...leaders.map((line) => `- ${line}`)),
    section(
      'On SQLite',
      draw('sqlite', 'Requests per second on SQLite', drawing('sqlite', 'Requests per second on SQLite')),
      markdownTable(ratios('sqlite')),
    ),
    section('What a request takes on SQLite', markdownTable(latencies('sqlite'))),
    ...postgresSections(ratios('postgres'), () => [
      draw(
        'postgres',
        'Requests per second on PostgreSQL',
        drawing('postgres', 'Requests per second on PostgreSQL'),
      ),
      markdownTable(ratios('postgres')),
      'The database shares the core of the load.',
      markdownTable(latencies('postgres')),
    ]),
  ]
}

const postgresSections = (table: Table, parts: () => readonly string[]) =>
  hasRows(table) ? [section('On PostgreSQL', ...parts())] : []

const growthSections = (growth: Growth | undefined) => {
  if (!growth) return []
  const { table, searches, drawing } = grown(growth)
  const svg = draw('growth', 'What a request takes as the service grows', drawing)
  const text = `Services of three sizes, each asked in ${growth.turns} turns that turn their order. Each figure is the median of all turns, the last column the median of the ratios within each turn; inserts were measured while the databases were filled. Pages are asked for one after the other, all else by 32 connections.`
  return [section('As it grows', svg, text, markdownTable(table), markdownTable(searches))]
}

const neighbourSections = (neighbours: Neighbours | undefined) => {
  if (!neighbours) return []
  const { felt, size, rounds, othersYield } = neighbours
  const table = {
    head: ['while another', 'p50 ms', 'p99 ms', 'p99 to idle', 'longest ms', 'event loop late, at most, ms'],
    rows: felt.map(({ others, p50Ms, p99Ms, timesIdle, maxMs, stallMs }) => [
      others,
      ...[p50Ms, p99Ms].map(round),
      times(timesIdle),
      round(maxMs),
      round(stallMs),
    ]),
  }
  const text = `What a reader of single members feels in a service of ${size.toLocaleString('en')} members, while four others do something over and over. Both cores are everybody’s${othersYield ? '; the programs of the four, who would be elsewhere, take what the service and the reader leave of them' : ''}. Medians of ${rounds} rounds, and the longest of all.`
  return [section('Nobody waits for another', text, markdownTable(table))]
}

const idleSections = (idle: Idle | undefined) => {
  if (!idle) return []
  const { emptyStartMs, millionStartMs, residentBytes, listedBytes, connections, bytesPerConnection } = idle
  const rows = [
    ['start to first answer, empty database', `${round(emptyStartMs)} ms`],
    ['start to first answer, a million members and todos', `${round(millionStartMs)} ms`],
    ['resident memory, idle', `${round(residentBytes / 1e6)} MB`],
    ['resident memory, idle, after a first list, which a thread reads', `${round(listedBytes / 1e6)} MB`],
    [
      `memory for each of ${connections.toLocaleString('en')} idle connections`,
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

/** Written by hand beside the bench; its links lead to the same files from the page. */
const findings = () =>
  existsSync(findingsFile) ? readFileSync(findingsFile, 'utf8').trim().replaceAll('](../docs/', '](') : ''

const again = section(
  'Measuring it again',
  '`npm run bench` takes three minutes, `npm run bench -- full` three quarters of an hour, and up to as long again where the host of the machine gives it to others. The first run installs the peers. Close other programs: two cores are enough, but both are needed.',
)
