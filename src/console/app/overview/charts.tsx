import { useWords } from '#console/app/words/index.ts'
import { Chart } from './chart.tsx'
import type { Point } from './point.ts'

/** All charts of the overview. */
export const Charts = ({ points }: { points: readonly Point[] }) => {
  const { charts, series, units } = useWords().overview
  return (
    <div class="charts">
      <Chart
        title={charts.requests}
        unit={units.perSecond}
        points={points}
        min={2}
        series={[
          { label: series.reads, read: ({ reads }) => reads },
          { label: series.writes, read: ({ writes }) => writes },
        ]}
      />
      <Chart
        title={charts.latency}
        unit={units.ms}
        points={points}
        min={5}
        series={[
          { label: series.p50, read: ({ p50Ms }) => p50Ms },
          { label: series.p99, read: ({ p99Ms }) => p99Ms },
        ]}
      />
      <Chart
        title={charts.errors}
        unit={units.perMinute}
        points={points}
        min={5}
        series={[
          { label: series.clientErrors, read: ({ clientErrors }) => clientErrors },
          { label: series.serverErrors, read: ({ serverErrors }) => serverErrors },
        ]}
      />
      <Chart
        title={charts.storage}
        unit={units.perSecond}
        points={points}
        min={2}
        series={[
          { label: series.writes, read: ({ committedWrites }) => committedWrites },
          { label: series.commits, read: ({ commits }) => commits },
        ]}
      />
      <Chart
        title={charts.lag}
        unit={units.ms}
        points={points}
        min={5}
        series={[
          { label: series.mean, read: ({ lagMeanMs }) => lagMeanMs },
          { label: series.longest, read: ({ lagMaxMs }) => lagMaxMs },
        ]}
      />
    </div>
  )
}
