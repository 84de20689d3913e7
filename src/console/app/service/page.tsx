import { changes, type ReadOptions, readSignedIn } from '#console/app/api/call.ts'
import { readMetricsHistory } from '#console/app/api/metrics.ts'
import { useLoad } from '#console/app/state/load.ts'
import { Empty, Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { type Measure, type MetricPoint, pointsOf } from './measures.ts'
import { Chart } from './plot.tsx'
import { useServiceWords } from './words.ts'

const pollMs = 5_000

/** Charts of the past hour of the service. Users who may not read the changes see the refusal instead. */
export const ServicePage = () => {
  const { pages } = useWords()
  const words = useServiceWords()
  const { value: allowed, failure, reload } = useLoad('allowed', checkAllowed)
  const history = useLoad('past', readPoints, { pollMs }).value
  if (failure?.status === 403)
    return (
      <Page title={pages.service}>
        <Failed failure={failure} onRetry={reload} />
      </Page>
    )
  return (
    <Page title={pages.service} subtitle={words.subtitle}>
      {history?.isAbsent ? (
        <Empty icon="chart" title={words.absentTitle} text={words.absentText} />
      ) : (
        <Charts points={(allowed && history?.points) ?? []} />
      )}
    </Page>
  )
}

const checkAllowed = (options: ReadOptions) =>
  readSignedIn((init) => changes.list({ before: 'latest', size: 1 }, init), options)

const readPoints = async (options: ReadOptions) => {
  const history = await readMetricsHistory(options)
  return { isAbsent: history === undefined, points: history ? pointsOf(history) : [] }
}

/** The lines of each chart, by label. `min` is the minimum range of the axis, so that small changes look small. */
const charts: readonly ChartTable[] = [
  { name: 'requests', unit: 'perSecond', min: 2, lines: { reads: 'reads', writes: 'writes' } },
  { name: 'latency', unit: 'ms', min: 5, lines: { p50: 'p50Ms', p99: 'p99Ms' } },
  {
    name: 'errors',
    unit: 'perMinute',
    min: 5,
    lines: { clientErrors: 'clientErrors', serverErrors: 'serverErrors' },
  },
  { name: 'storage', unit: 'perSecond', min: 2, lines: { writes: 'committedWrites', commits: 'commits' } },
  { name: 'lag', unit: 'ms', min: 5, lines: { mean: 'lagMeanMs', longest: 'lagMaxMs' } },
]

type ServiceWords = ReturnType<typeof useServiceWords>

interface ChartTable {
  readonly name: keyof ServiceWords['charts']
  readonly unit: keyof ServiceWords['units']
  readonly min: number
  readonly lines: Readonly<Partial<Record<keyof ServiceWords['series'], Measure>>>
}

const Charts = ({ points }: { points: readonly MetricPoint[] }) => {
  const words = useServiceWords()
  return (
    <div class="charts">
      {charts.map(({ name, unit, min, lines }) => (
        <Chart
          key={name}
          title={words.charts[name]}
          unit={words.units[unit]}
          points={points}
          min={min}
          series={Object.entries(lines).map(([label, measure]) => ({
            label: words.series[label as keyof typeof lines],
            read: (point) => times(unit === 'perMinute' ? 60 : 1, point[measure]),
          }))}
        />
      ))}
    </div>
  )
}

const times = (factor: number, value: number | null) => value && value * factor
