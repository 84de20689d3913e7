import { formatCount } from './output.ts'

/** A progress bar. Disposing of it ends its line, so that an error message begins on a new line. */
interface ProgressBar extends Disposable {
  advance(count: number): void
  end(): void
}

const drawIntervalMs = 100
const width = 28

/** Shows the progress of long work, its rate and the remaining time. Shows nothing without a terminal or without a total. */
export const progressBar = (
  label: string,
  total: number | undefined,
  unit: keyof typeof formatters = 'records',
): ProgressBar => {
  const stream = process.stderr
  if (!stream.isTTY || total === undefined) return noBar
  const startedAtMs = performance.now()
  const format = formatters[unit]
  let done = 0
  let drawnAtMs = 0
  let hasOpenLine = false
  const draw = () => {
    const elapsedMs = performance.now() - startedAtMs
    const ratePerMs = done / elapsedMs
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const filled = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    const left = done > 0 && done < total ? `  ${formatDuration((total - done) / ratePerMs)} left` : ''
    const rate = elapsedMs > drawIntervalMs ? `  ${format(ratePerMs * 1000)}/s${left}` : ''
    const line = `${label} ${filled} ${Math.floor(share * 100)} %  ${format(done)} of ${format(total)}${rate}`
    // A line that wraps could not be drawn again in its place.
    stream.write(`\r\x1b[2K${line.slice(0, (stream.columns || 80) - 1)}`)
    drawnAtMs = performance.now()
    hasOpenLine = true
  }
  const endLine = () => {
    if (hasOpenLine) stream.write('\n')
    hasOpenLine = false
  }
  return {
    advance(count) {
      done += count
      if (performance.now() - drawnAtMs > drawIntervalMs) draw()
    },
    end() {
      draw()
      endLine()
    },
    [Symbol.dispose]: endLine,
  }
}

const noBar: ProgressBar = { advance: () => {}, end: () => {}, [Symbol.dispose]: () => {} }

export const formatMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

const formatters = {
  records: (count: number) => formatCount(Math.round(count)),
  bytes: formatMegabytes,
}

const formatDuration = (ms: number) => {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60
    ? `${seconds} s`
    : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
}
