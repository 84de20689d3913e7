/** Counts how many values fell at or below each bound. */
export interface Distribution {
  observe(value: number): void
  isEmpty(): boolean
  /** Its lines in the Prometheus text format. */
  lines(metric: string, labels?: string): readonly string[]
}

export const distribution = (bounds: readonly number[]): Distribution => {
  const buckets = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    observe(value) {
      let at = 0
      while (at < bounds.length && value > (bounds[at] as number)) at++
      buckets[at] = (buckets[at] ?? 0) + 1
      sum += value
    },

    isEmpty: () => buckets.every((count) => count === 0),

    lines(metric, labels = '') {
      let count = 0
      const counted = [...bounds, '+Inf'].map((bound, at) => {
        count += buckets[at] ?? 0
        return `${metric}_bucket{${labels}${labels && ','}le="${bound}"} ${count}`
      })
      const suffix = labels && `{${labels}}`
      return [...counted, `${metric}_sum${suffix} ${sum}`, `${metric}_count${suffix} ${count}`]
    },
  }
}

/** The lines of one histogram, preceded by its HELP and TYPE lines. */
export const histogramText = (metric: string, help: string, lines: readonly string[]): string =>
  [`# HELP ${metric} ${help}`, `# TYPE ${metric} histogram`, ...lines].map((line) => `${line}\n`).join('')
