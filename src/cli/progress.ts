import { withSeparators } from './output.ts'

/** Disposing of the bar ends its line, so that an error message begins a new line. */
interface ProgressBar extends Disposable {
  advance(count: number): void
  end(): void
}

const drawIntervalMs = 100
const width = 28

/** At a terminal, shows the progress of long work, its rate and the time left. Shows nothing elsewhere, or without a total. */
export const progressBar = (
  label: string,
  total: number | undefined,
  unit: keyof typeof shownAs = 'records',
): ProgressBar => {
  const stream = process.stderr
  if (!stream.isTTY || total === undefined) return noBar
  const startedAtMs = performance.now()
  const shown = shownAs[unit]
  let done = 0
  let shownAtMs = 0
  let isOnItsLine = false
  const show = () => {
    const ratePerMs = done / (performance.now() - startedAtMs)
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const drawn = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    const left = done > 0 && done < total ? `  ${duration((total - done) / ratePerMs)} left` : ''
    const counts = `${shown(done)} of ${shown(total)}  ${shown(ratePerMs * 1000)}/s`
    stream.write(`\r\x1b[2K${label} ${drawn} ${Math.floor(share * 100)} %  ${counts}${left}`)
    shownAtMs = performance.now()
    isOnItsLine = true
  }
  const leave = () => {
    if (isOnItsLine) stream.write('\n')
    isOnItsLine = false
  }
  return {
    advance(count) {
      done += count
      if (performance.now() - shownAtMs > drawIntervalMs) show()
    },
    end() {
      show()
      leave()
    },
    [Symbol.dispose]: leave,
  }
}

const noBar: ProgressBar = { advance: () => {}, end: () => {}, [Symbol.dispose]: () => {} }

export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

const shownAs = {
  records: (count: number) => withSeparators(Math.round(count)),
  bytes: megabytes,
}

const duration = (ms: number) => {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60
    ? `${seconds} s`
    : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
}
