import { curves } from './curves.ts'
import type { Grown, Growth } from './growth.ts'
import { round, type Table } from './tables.ts'

/** What growth says, in tables and a drawing. */
export const grown = ({ grown }: Growth) => ({
  table: growthTable(grown),
  searches: searchTable(grown),
  drawing: curves('What a request takes as the service grows, as a multiple of the smallest', {
    sizes: grown.map(({ size }) => size),
    curves: lines.map(({ what, of }) => ({ label: what, values: grown.map(of) })),
  }),
})

interface Line {
  readonly what: string
  /** A time, so that more is worse. */
  readonly of: (grown: Grown) => number
}

const lines: readonly Line[] = [
  { what: 'GET one member', of: ({ getMember }) => 1e6 / getMember.perSecond },
  { what: 'GET one todo', of: ({ getTodo }) => 1e6 / getTodo.perSecond },
  { what: 'POST a todo', of: ({ postTodo }) => 1e6 / postTodo.perSecond },
  { what: 'Insert a member, unhashed', of: ({ inserts }) => inserts.memberInsertMs * 1000 },
  { what: 'Cursor page of 100, first', of: ({ walk }) => walk.firstMs * 1000 },
  { what: 'Cursor page of 100, middle', of: ({ walk }) => walk.middleMs * 1000 },
  { what: 'Cursor page of 100, last', of: ({ walk }) => walk.lastMs * 1000 },
]

const head = (grown: readonly Grown[]) => grown.map(({ size }) => `${size.toLocaleString('en')} of each`)

const growthTable = (grown: readonly Grown[]): Table => ({
  head: ['microseconds a request', ...head(grown), 'largest to smallest'],
  rows: [
    ...lines.map(({ what, of }) => {
      const values = grown.map(of)
      return [what, ...values.map(round), `${((values.at(-1) ?? 0) / (values[0] ?? 1)).toFixed(2)} ×`]
    }),
    ['bytes on disk for a member and a todo', ...grown.map(({ bytesPerPair }) => round(bytesPerPair)), ''],
    ['start to first answer, ms', ...grown.map(({ startedMs }) => round(startedMs)), ''],
    ['all members unpaged, MB/s', ...grown.map(({ unpaged }) => round(unpaged.megabytesPerSecond)), ''],
    [
      'memory it takes above idle, MiB',
      ...grown.map(({ unpaged }) => round(unpaged.extraBytes / 2 ** 20)),
      '',
    ],
  ],
})

const searchTable = (grown: readonly Grown[]): Table => ({
  head: ['name search, first page with totals: p99 ms', ...head(grown), 'members found'],
  rows: (grown[0]?.searches ?? []).map(({ what }, index) => [
    what,
    ...grown.map(({ searches }) => round(searches[index]?.p99Ms ?? Number.NaN)),
    (grown.at(-1)?.searches[index]?.found ?? 0).toLocaleString('en'),
  ]),
})
