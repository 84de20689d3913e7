import type { Interval } from './figures.ts'

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export const markdownTable = ({ head, rows }: Table) =>
  [head, head.map((_, column) => (column === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

/** Aligned columns, for a terminal. */
export const plainTable = ({ head, rows }: Table) => {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => [...(cells[column] ?? '')].length)))
  return lines
    .map((cells) => cells.map((cell, column) => pad(cell, widths[column] ?? 0, column === 0)).join('  '))
    .join('\n')
}

const pad = (cell: string, width: number, left: boolean) => {
  const space = ' '.repeat(Math.max(0, width - [...cell].length))
  return left ? cell + space : space + cell
}

/** To three significant figures, two below 1. */
export const round = (value: number) =>
  value >= 100
    ? Math.round(Number(value.toPrecision(3))).toLocaleString('en')
    : String(Number(value.toPrecision(value < 1 ? 2 : 3)))

export const times = (ratio: number) => `${ratio.toFixed(2)} ×`

/** A ratio with its interval. */
export const timesWithin = (ratio: Interval | undefined) =>
  ratio ? `${times(ratio.median)} (${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)})` : '–'
