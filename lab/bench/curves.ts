import { drawing, short, stroke, words } from './drawing.ts'

export interface Curves {
  readonly sizes: readonly number[]
  readonly curves: readonly { readonly label: string; readonly values: readonly number[] }[]
}

const panel = { width: 260, height: 88 }
const columns = 3
const gap = 28
const headHeight = 26
const ceiling = 2

/** One small panel for each curve: its value at each size as a multiple of the first. */
export const curves = (title: string, { sizes, curves }: Curves) => {
  const rows = Math.ceil(curves.length / columns)
  const content = curves.flatMap(({ label, values }, index) =>
    drawPanel(label, {
      x: gap + (index % columns) * (panel.width + gap),
      y: gap + Math.floor(index / columns) * (panel.height + headHeight + gap),
      sizes,
      multiples: values.map((value) => value / (values[0] ?? 1)),
    }),
  )
  const width = gap + columns * (panel.width + gap)
  const height = gap + rows * (panel.height + headHeight + gap)
  return drawing({ width, height, title }, content)
}

interface Drawn {
  readonly x: number
  readonly y: number
  readonly sizes: readonly number[]
  readonly multiples: readonly number[]
}

/** The scale begins at zero and reaches at least twice the first value. */
const drawPanel = (label: string, { x, y, sizes, multiples }: Drawn) => {
  const max = Math.max(ceiling, ...multiples)
  const base = y + headHeight + panel.height - 18
  const room = panel.height - 30
  const points = multiples.map((value, index) => ({
    x: x + 24 + (index * (panel.width - 60)) / Math.max(1, sizes.length - 1),
    y: base - (value / max) * room,
    size: sizes[index] ?? 0,
    value,
  }))
  const path = points
    .map((point, index) => `${index === 0 ? 'M' : 'L'}${short(point.x)} ${short(point.y)}`)
    .join('')
  return [
    words({ x, y: y + 12, class: 'title' }, label),
    stroke({ x1: x, y1: base, x2: x + panel.width, y2: base, class: 'line' }),
    `<path d="${path}" class="curve"/>`,
    ...points.flatMap((point) => [
      `<circle cx="${short(point.x)}" cy="${short(point.y)}" r="3.5" class="dot"/>`,
      words({ x: point.x, y: point.y - 9, class: 'middle' }, `${point.value.toFixed(2)} ×`),
      words({ x: point.x, y: base + 15, class: 'middle soft' }, point.size.toLocaleString('en')),
    ]),
  ]
}
