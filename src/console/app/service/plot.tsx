import type { TargetedPointerEvent } from 'preact'
import { useState } from 'preact/hooks'
import { formatFigure, useWords } from '#console/app/words/index.ts'
import type { MetricPoint } from './measures.ts'
import { useServiceWords } from './words.ts'

interface Series {
  readonly label: string
  readonly read: (point: MetricPoint) => number | null
}

interface ChartProps {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
  readonly points: readonly MetricPoint[]
  /** The minimum range of the vertical axis, so that small changes look small. */
  readonly min: number
}

/** Points further apart than this are not connected. The service takes a reading every 15 s. */
const maxGapMs = 50_000

/** The width and height of the drawing in its own units. It is stretched to the size of the chart. */
const size = 100

/** A chart. Its legend has the figures at the pointer or, without a pointer, the latest figures. */
export const Chart = ({ title, unit, series, points, min }: ChartProps) => {
  const words = useWords()
  const { summary, minutesAgo, now } = useServiceWords()
  const [pointedMs, setPointedMs] = useState<number>()
  // The pointer may rest on a point that has since left the chart.
  const pointed = points.find(({ atMs }) => atMs === pointedMs)
  const shown = pointed ?? points.at(-1)
  const figure = ({ read }: Series) => {
    const value = shown ? read(shown) : null
    return value === null ? words.none : `${formatFigure(value)} ${unit}`
  }
  const end = points.at(-1)?.atMs ?? 0
  const axisMs = axisLengthMs(end - (points[0]?.atMs ?? end))
  const max = roundUp(Math.max(min, ...points.flatMap((one) => series.map(({ read }) => read(one) ?? 0))))
  const xOf = (atMs: number) => size * (1 - (end - atMs) / axisMs)
  const lineOf = ({ read }: Series) => {
    let beforeMs = Number.NEGATIVE_INFINITY
    const steps = points.map((one) => {
      const value = read(one)
      if (value === null) return ''
      const isConnected = one.atMs - beforeMs <= maxGapMs
      beforeMs = one.atMs
      // `h0` draws a dot, because a point without neighbours has no line.
      return `${isConnected ? 'L' : 'M'}${xOf(one.atMs).toFixed(2)} ${(size * (1 - value / max)).toFixed(2)}${isConnected ? '' : 'h0'}`
    })
    return steps.join('')
  }
  const followPointer = ({ clientX, currentTarget }: TargetedPointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const distance = ({ atMs }: MetricPoint) => Math.abs(xOf(atMs) - (size * (clientX - left)) / width)
    setPointedMs(points.toSorted((one, other) => distance(one) - distance(other))[0]?.atMs)
  }
  const figures = series.map((one) => `${one.label} ${figure(one)}`).join(', ')
  return (
    <figure class="sheet chart">
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
      <div class="plot" role="img" aria-label={summary(title, figures)}>
        <div class="plot-scale">
          {points.length > 0 &&
            [1, 0.5, 0].map((part) => (
              <span key={part} class="plot-label">
                {formatFigure(part * max)}
              </span>
            ))}
        </div>
        <svg
          aria-hidden="true"
          height={120}
          viewBox={`0 0 ${size} ${size}`}
          preserveAspectRatio="none"
          onPointerMove={followPointer}
          onPointerLeave={() => setPointedMs(undefined)}
        >
          <path class="plot-rule" d={`M0 0H${size}M0 ${size / 2}H${size}M0 ${size}H${size}`} />
          {series.map((one, index) => (
            <path key={one.label} class={`plot-line series-${index}`} d={lineOf(one)} />
          ))}
          {pointed && <path class="plot-pointed" d={`M${xOf(pointed.atMs)} 0V${size}`} />}
        </svg>
        {points.length > 0 && (
          <>
            <span class="plot-label">{unit}</span>
            <p class="row row-wide">
              <span class="plot-label">{minutesAgo(axisMs / 60_000)}</span>
              <span class="plot-label">{now}</span>
            </p>
          </>
        )}
      </div>
    </figure>
  )
}

/** The length of the time axis: the shortest that covers this time, so that an axis does not begin long before the service. */
const axisLengthMs = (seenMs: number) =>
  [1, 2, 5, 15, 30].map((minutes) => minutes * 60_000).find((one) => seenMs <= one) ?? 3_600_000

/** The next larger round number whose half is also round. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value * 0.999) ?? 10
  return step * power
}
