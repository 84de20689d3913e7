import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Exchange } from '#http/exchange.ts'
import type { Observer } from '#sql/engine.ts'
import { requestHistogram } from './requests.ts'

/** What is looked at only when somebody asks. */
export interface Gauges {
  hashesWaiting(): number
  logLinesDropped(): number
}

export interface Metrics {
  /** For the database. */
  readonly observer: Observer
  /** For the listeners. */
  observe(exchange: Exchange, status: number): void
  watch(gauges: Gauges): void
  text(): Promise<string>
}

export const openMetrics = (): Metrics => {
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })
  const requests = requestHistogram()
  const throttled = new Counter({
    name: 'rollcall_logins_throttled_total',
    help: 'Requests that were refused before anybody was let in, because too many logins failed.',
    registers,
  })
  return {
    observer: storageObserver(registers),
    observe({ method, place, startedAtMs, principal }, status) {
      if (status === 429 && principal === undefined) throttled.inc()
      requests.observe({ method, place, status, ms: performance.now() - startedAtMs })
    },
    watch: (gauges) => watch(registers, gauges),
    text: async () => `${requests.text()}\n${await register.metrics()}`,
  }
}

const storageObserver = (registers: Registry[]): Observer => {
  const sizes = new Histogram({
    name: 'rollcall_commit_writes',
    help: 'Writes that one commit made durable.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  })
  const times = new Histogram({
    name: 'rollcall_commit_duration_seconds',
    help: 'How long commits took.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2],
    registers,
  })
  const failures = new Counter({
    name: 'rollcall_storage_errors_total',
    help: 'What the storage refused, by its reason.',
    labelNames: ['reason'],
    registers,
  })
  const streams = new Gauge({ name: 'rollcall_streams_open', help: 'Lists on their way.', registers })
  const reads = remembered(registers)
  return {
    groupCommitted(writes, ms) {
      sizes.observe(writes)
      times.observe(ms / 1000)
    },
    storageFailed: (reason) => failures.inc({ reason }),
    wasRemembered: reads.count,
    streamsOpen: (count) => streams.set(count),
  }
}

/** Counted by hand: it happens at every read. */
const remembered = (registers: Registry[]) => {
  const counts = { memory: 0, database: 0 }
  new Counter({
    name: 'rollcall_reads_total',
    help: 'Reads that were answered from memory, and from the database.',
    labelNames: ['from'],
    registers,
    collect() {
      this.reset()
      for (const [from, count] of Object.entries(counts)) this.inc({ from }, count)
    },
  })
  return {
    count(isRemembered: boolean) {
      if (isRemembered) counts.memory++
      else counts.database++
    },
  }
}

const watch = (registers: Registry[], { hashesWaiting, logLinesDropped }: Gauges) => {
  new Gauge({
    name: 'rollcall_password_hashes_waiting',
    help: 'Password hashes that wait for their turn.',
    registers,
    collect() {
      this.set(hashesWaiting())
    },
  })
  new Counter({
    name: 'rollcall_log_lines_dropped_total',
    help: 'Lines of the log that nobody took.',
    registers,
    collect() {
      this.reset()
      this.inc(logLinesDropped())
    },
  })
}
