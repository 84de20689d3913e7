export type Unit = 'records' | 'bytes'

/** If the work fails, disposing of the bar leaves its line to it. */
export interface ProgressBar extends Disposable {
  advance(count: number): void
  end(): void
}

const drawIntervalMs = 100
const width = 28

/** At a terminal, shows the progress of long work, its rate and the time left. Elsewhere it shows nothing. */
export const progressBar = (label: string, total: number, unit: Unit = 'records'): ProgressBar => {
  const stream = process.stderr
  if (!stream.isTTY) return noBar
  const startedAtMs = performance.now()
  let done = 0
  let shownAt = 0
  let isOnItsLine = false
  const show = () => {
    const text = line(label, { done, total, unit, ms: performance.now() - startedAtMs })
    stream.write(`\r\x1b[2K${text}`)
    shownAt = performance.now()
    isOnItsLine = true
  }
  const leave = () => {
    if (isOnItsLine) stream.write('\n')
    isOnItsLine = false
  }
  return {
    advance(count) {
      done += count
      if (performance.now() - shownAt > drawIntervalMs) show()
    },
    end() {
      show()
      leave()
    },
    [Symbol.dispose]: leave,
  }
}

/** At a terminal, shows what long work is doing until it ends, where nobody can tell how far it is. */
export const during = async <T>(words: string, work: Promise<T>): Promise<T> => {
  const stream = process.stderr
  if (!stream.isTTY) return work
  stream.write(words)
  try {
    return await work
  } finally {
    stream.write('\r\x1b[2K')
  }
}

const noBar: ProgressBar = { advance: () => {}, end: () => {}, [Symbol.dispose]: () => {} }

interface State {
  readonly done: number
  readonly total: number
  readonly unit: Unit
  readonly ms: number
}

const line = (label: string, { done, total, unit, ms }: State) => {
  const rate = ms > 0 ? (done / ms) * 1000 : 0
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const drawn = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
  const left = rate > 0 && done < total ? `  ${duration((total - done) / rate)} left` : ''
  const show = shownAs[unit]
  return `${label} ${drawn} ${Math.floor(share * 100)} %  ${show(done)} of ${show(total)}  ${show(rate)}/s${left}`
}

export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

const shownAs = {
  records: (count: number) => Math.round(count).toLocaleString('en'),
  bytes: megabytes,
}

const duration = (seconds: number) => {
  const whole = Math.ceil(seconds)
  const minutes = Math.floor(whole / 60)
  if (minutes === 0) return `${whole} s`
  return `${minutes}:${String(whole % 60).padStart(2, '0')} min`
}
