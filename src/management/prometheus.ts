/** A number that is read at each scrape, or several numbers with different labels. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  /** Undefined if there is no value to report. */
  values(): number | undefined | Iterable<Sample>
}

export const counter = (name: string, help: string, values: Metric['values']): Metric => ({
  name,
  help,
  values,
  type: 'counter',
})

/** A gauge is absent from the scrape if it cannot be read. */
export const gauge = (name: string, help: string, values: Metric['values']): Metric => ({
  name,
  help,
  type: 'gauge',
  values() {
    try {
      return values()
    } catch {
      return undefined
    }
  },
})

export type Sample = readonly [labels: string, value: number]

export const labels = (named: Readonly<Record<string, string>>) =>
  Object.entries(named)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')

const escapeLabel = (text: string) =>
  text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))

/** Writes a metric in the Prometheus text format. */
export const metricText = ({ name, help, type, values }: Metric): string => {
  const now = values()
  if (now === undefined) return withHeader(name, help, type, [])
  const samples = typeof now === 'number' ? [['', now] as const] : [...now]
  return withHeader(
    name,
    help,
    type,
    samples.map(([labelled, value]) => `${name}${labelled && `{${labelled}}`} ${value}`),
  )
}

/** Writes a histogram in the Prometheus text format. `lines` are those of its distributions. */
export const histogramText = (name: string, help: string, lines: readonly string[]): string =>
  withHeader(name, help, 'histogram', lines)

const withHeader = (name: string, help: string, type: string, lines: readonly string[]) =>
  [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].map((line) => `${line}\n`).join('')

export type Distribution = ReturnType<typeof distribution>

/** Counts values by bounds: how many are less than or equal to each bound. */
export const distribution = (bounds: readonly number[]) => {
  const buckets = new Float64Array(bounds.length + 1)
  let sum = 0
  /** The number of values up to each bound, and last the number of all values. */
  const cumulativeCounts = () => {
    let count = 0
    return Array.from(buckets, (bucket) => (count += bucket))
  }
  return {
    observe(value: number) {
      let at = 0
      while (at < bounds.length && value > (bounds[at] as number)) at++
      buckets[at] = (buckets[at] ?? 0) + 1
      sum += value
    },

    cumulativeCounts,
    sum: () => sum,

    lines(metric: string, labelled = ''): readonly string[] {
      const counts = cumulativeCounts()
      const counted = [...bounds, '+Inf'].map(
        (bound, at) => `${metric}_bucket{${labelled}${labelled && ','}le="${bound}"} ${counts[at]}`,
      )
      const suffix = labelled && `{${labelled}}`
      return [...counted, `${metric}_sum${suffix} ${sum}`, `${metric}_count${suffix} ${counts.at(-1)}`]
    },
  }
}
