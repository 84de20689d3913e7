import { useEffect, useRef, useState } from 'preact/hooks'
import { formatFigure } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import type { Point } from './measures.ts'
import { Plot } from './plot.tsx'

export interface Series {
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
  const pointed = chosen && points.includes(chosen) ? chosen : undefined
  const shown = pointed ?? points.at(-1)
  const figure = (one: Series) => {
    const value = shown ? one.read(shown) : null
    return value === null ? words.none : `${formatFigure(value)} ${unit}`
  }
  const summary = series.map((one) => `${one.label} ${figure(one)}`).join(', ')
  return (
    <figure class="sheet chart" ref={place}>
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend" aria-hidden="true">
          {series.map((one, index) => (
            <li key={one.label} class={`series-${index}`}>
              <span>{one.label}</span> <b>{figure(one)}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <Plot
        label={words.overview.summary(title, summary)}
        unit={unit}
        series={series}
        points={points}
        min={min}
        width={width}
        onPoint={setPointed}
        pointed={pointed}
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
