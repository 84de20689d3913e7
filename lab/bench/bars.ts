import { drawing, svgLine, svgRect, svgText } from './drawing.ts'

export interface Bar {
  readonly label: string
  readonly kind: 'ours' | 'theirs' | 'limit'
  readonly value: number
  readonly min: number
  readonly max: number
  /** Text after the bar. */
  readonly note: string
}

export interface Panel {
  readonly title: string
  readonly bars: readonly Bar[]
}

const columns = 2
const panelWidth = 440
const gap = 24
const rowHeight = 22
const barHeight = 12
const labelWidth = 176
const noteWidth = 104
const headHeight = 34

/** Panels of horizontal bars, two per row; in each panel the longest bar fills the width. */
export const bars = (title: string, panels: readonly Panel[]) => {
  const rows = Math.ceil(panels.length / columns)
  const heights = Array.from({ length: rows }, (_, row) =>
    Math.max(...panels.slice(row * columns, (row + 1) * columns).map(heightOf)),
  )
  const tops = heights.map(
    (_, row) => gap + heights.slice(0, row).reduce((sum, height) => sum + height + gap, 0),
  )
  const content = panels.flatMap((panel, index) =>
    drawPanel(panel, {
      x: gap + (index % columns) * (panelWidth + gap),
      y: tops[Math.floor(index / columns)] ?? 0,
    }),
  )
  const width = gap + columns * (panelWidth + gap)
  const height = gap + heights.reduce((sum, each) => sum + each + gap, 0)
  return drawing({ width, height, title }, content)
}

const heightOf = ({ bars }: Panel) => headHeight + bars.length * rowHeight

const drawPanel = ({ title, bars }: Panel, at: { x: number; y: number }) => {
  const longest = Math.max(...bars.map(({ max }) => max))
  const scale = (panelWidth - labelWidth - noteWidth) / longest
  const rows = bars.flatMap((bar, index) =>
    drawBar(bar, { x: at.x, y: at.y + headHeight + index * rowHeight, scale }),
  )
  const rule = at.y + 22
  return [
    svgText({ x: at.x, y: at.y + 12, class: 'title' }, title),
    svgLine({ x1: at.x, y1: rule, x2: at.x + panelWidth, y2: rule, class: 'line' }),
    ...rows,
  ]
}

const drawBar = (bar: Bar, { x, y, scale }: { x: number; y: number; scale: number }) => {
  const left = x + labelWidth
  const middle = y + barHeight / 2
  const weight = bar.kind === 'ours' ? 'strong' : 'soft'
  return [
    svgText({ x: left - 8, y: middle + 4, class: `end ${weight}` }, bar.label),
    svgRect({ x: left, y, width: bar.value * scale, height: barHeight, class: bar.kind }),
    svgLine({
      x1: left + bar.min * scale,
      y1: middle,
      x2: left + bar.max * scale,
      y2: middle,
      class: 'spread',
    }),
    svgText({ x: left + bar.max * scale + 8, y: middle + 4, class: weight }, bar.note),
  ]
}
