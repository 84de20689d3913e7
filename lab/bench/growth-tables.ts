import type { Growth, SizeResult } from './growth.ts'
import { round, type Table } from './tables.ts'

/** The results of growth as tables. */
export const growthTables = ({ grown }: Growth) => ({
  table: growthTable(grown),
  searches: searchTable(grown),
})

/** What one request took at each size, in microseconds and relative to the smallest. */
interface Line {
  readonly what: string
  readonly us: readonly number[]
  readonly times: readonly number[]
}

const lines = (grown: readonly SizeResult[]): Line[] =>
  (grown[0]?.costs ?? []).map(({ what }, index) => ({
    what,
    us: grown.map(({ costs }) => costs[index]?.us ?? Number.NaN),
    times: grown.map(({ costs }) => costs[index]?.timesSmallest ?? Number.NaN),
  }))

const head = (grown: readonly SizeResult[]) => grown.map(({ size }) => `${size.toLocaleString('en')} of each`)

const growthTable = (grown: readonly SizeResult[]): Table => ({
  head: ['microseconds per request', ...head(grown), 'largest relative to smallest'],
  rows: [
    ...lines(grown).map(({ what, us, times }) => [
      what,
      ...us.map(round),
      `${(times.at(-1) ?? Number.NaN).toFixed(2)} ×`,
    ]),
    ['bytes on disk per member and todo', ...grown.map(({ bytesPerPair }) => round(bytesPerPair)), ''],
    ['start to first answer, ms', ...grown.map(({ startedMs }) => round(startedMs)), ''],
    ['all members unpaged, MB/s', ...grown.map(({ unpaged }) => round(unpaged.megabytesPerSecond)), ''],
    [
      'memory that takes above idle, MiB',
      ...grown.map(({ unpaged }) => round(unpaged.extraBytes / 2 ** 20)),
      '',
    ],
  ],
})

const searchTable = (grown: readonly SizeResult[]): Table => ({
  head: ['search, first page with totals: p99 ms', ...head(grown), 'found'],
  rows: (grown[0]?.searches ?? []).map(({ what }, index) => [
    what,
    ...grown.map(({ searches }) => round(searches[index]?.p99Ms ?? Number.NaN)),
    (grown.at(-1)?.searches[index]?.found ?? 0).toLocaleString('en'),
  ]),
})
