import { useEffect, useRef, useState } from 'preact/hooks'
import { formatFigure } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import type { Point } from './measures.ts'
import { useServiceWords } from './words.ts'

interface PlotParts extends Omit<ChartParts, 'title'> {
  readonly label: string
  readonly width: number
  readonly pointed: Point | undefined
  readonly onPoint: (point: Point | undefined) => void
}

const height = 168
const top = 24
const floor = height - 24
const left = 44
const right = 14

/** Points further apart than this are not connected. The service keeps one each 15 s. */
const widestGapMs = 50_000

const Plot = ({ label, unit, series, points, min, width, pointed, onPoint }: PlotParts) => {
  const words = useServiceWords()
  if (width === 0) return <svg class="plot" height={height} role="img" aria-label={label} />
  // Before the first measurement there is nothing to scale.
  const isScaled = points.length > 0
  const end = points.at(-1)?.atMs ?? Date.now()
  const values = points.flatMap((point) => series.map(({ read }) => read(point) ?? 0))
  const max = roundUp(Math.max(min, ...values))
  const span = width - left - right
  const shownMs = shownWindow(end - (points[0]?.atMs ?? end))
  const xOf = (atMs: number) => left + (1 - (end - atMs) / shownMs) * span
  const yOf = (value: number) => floor - (value / max) * (floor - top)
  const dotsOf = ({ read }: Series) =>
    points.map((point): Dot | null => {
      const value = read(point)
      return value === null ? null : { x: xOf(point.atMs), y: yOf(value) }
    })
  const nearest = (event: PointerEvent & { currentTarget: SVGSVGElement }) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left
    const byDistance = (a: Point, b: Point) => Math.abs(xOf(a.atMs) - x) - Math.abs(xOf(b.atMs) - x)
    onPoint(points.toSorted(byDistance)[0])
  }
  return (
    <svg
      class="plot"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      onPointerMove={nearest}
      onPointerLeave={() => onPoint(undefined)}
    >
      {[0, 0.5, 1].map((part) => (
        <g key={part}>
          <line class="plot-rule" x1={left} x2={width - right} y1={yOf(part * max)} y2={yOf(part * max)} />
          {isScaled && (
            <text class="plot-label" x={left - 8} y={yOf(part * max) + 4} text-anchor="end">
              {formatFigure(part * max)}
            </text>
          )}
        </g>
      ))}
      {isScaled && (
        <>
          <text class="plot-label" x={left - 8} y={top - 12} text-anchor="end">
            {unit}
          </text>
          <text class="plot-label" x={left} y={height - 6}>
            {words.minutesAgo(shownMs / 60_000)}
          </text>
          <text class="plot-label" x={width - right} y={height - 6} text-anchor="end">
            {words.now}
          </text>
        </>
      )}
      {series.map((one, index) => (
        <Line key={one.label} dots={dotsOf(one)} index={index} gap={(widestGapMs / shownMs) * span} />
      ))}
      {pointed && (
        <line class="plot-pointed" x1={xOf(pointed.atMs)} x2={xOf(pointed.atMs)} y1={top} y2={floor} />
      )}
    </svg>
  )
}

/** The minutes before the service started are not shown. */
const shownWindow = (seenMs: number) =>
  [1, 2, 5, 15, 30].map((minutes) => minutes * 60_000).find((one) => seenMs <= one) ?? 3_600_000

const Line = ({ dots, index, gap }: { dots: readonly (Dot | null)[]; index: number; gap: number }) => {
  const last = dots.at(-1)
  return (
    <g class={`series-${index}`}>
      {stretches(dots, gap).map((stretch) => (
        <g key={stretch[0]?.x}>
          {index === 0 && <path class="plot-area" d={areaPath(stretch)} />}
          <path class="plot-line" d={linePath(stretch)} />
        </g>
      ))}
      {last && <circle class="plot-dot" cx={last.x} cy={last.y} r="3" />}
    </g>
  )
}

/** The next larger round number whose half is also round. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value * 0.999) ?? 10
  return step * power
}

interface Dot {
  readonly x: number
  readonly y: number
}

/** One line for each run of points without a gap. */
const stretches = (dots: readonly (Dot | null)[], widestGap: number): readonly (readonly Dot[])[] => {
  const found: Dot[][] = [[]]
  for (const dot of dots) {
    const current = found.at(-1) ?? []
    const before = current.at(-1)
    if (dot && (!before || dot.x - before.x <= widestGap)) current.push(dot)
    else if (current.length > 0 || dot) found.push(dot ? [dot] : [])
  }
  return found.filter((dots) => dots.length > 0)
}

const text = ({ x, y }: Dot) => `${x.toFixed(1)} ${y.toFixed(1)}`

const linePath = (dots: readonly Dot[]) => `M${dots.map(text).join('L')}`

/** The same, closed along the floor. */
const areaPath = (dots: readonly Dot[]) => `${linePath(dots)}V${floor}H${dots[0]?.x.toFixed(1)}Z`

interface Series {
  readonly label: string
  readonly read: (point: Point) => number | null
}

interface ChartParts {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
  readonly points: readonly Point[]
  /** The minimum range of the vertical axis, so that a quiet chart looks quiet. */
  readonly min: number
}

/** A chart with its latest figures, or those at the time under the pointer. */
export const Chart = ({ title, unit, series, points, min }: ChartParts) => {
  const words = useWords()
  const [place, width] = useWidth()
  const [chosen, setPointed] = useState<Point>()
  // The pointer may rest on a point that has since left the chart.
  const pointed = points.find(({ atMs }) => atMs === chosen?.atMs)
  const shown = pointed ?? points.at(-1)
  const figure = (one: Series) => {
    const value = shown ? one.read(shown) : null
    return value === null ? words.none : `${formatFigure(value)} ${unit}`
  }
  const { summary: spoken } = useServiceWords()
  const summary = series.map((one) => `${one.label} ${figure(one)}`).join(', ')
  return (
    <figure class="sheet chart" ref={place}>
      <figcaption class="row row-wide">
        <h2>{title}</h2>
        <ul class="legend row soft" aria-hidden="true">
          {series.map((one, index) => (
            <li key={one.label} class={`series-${index}`}>
              <span>{one.label}</span> <b>{figure(one)}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <Plot
        label={spoken(title, summary)}
        {...{ unit, series, points, min, width, pointed }}
        onPoint={setPointed}
      />
    </figure>
  )
}

const useWidth = () => {
  const place = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const { current } = place
    if (!current) return
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [place, width] as const
}
