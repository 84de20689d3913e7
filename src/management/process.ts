import { readdirSync, readFileSync } from 'node:fs'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import {
  counter,
  type Distribution,
  distribution,
  gauge,
  histogramText,
  labels,
  type Metric,
} from './prometheus.ts'

/**
 * The metrics of the process, under the usual names for Node. Only Linux reports all of them. A value is also absent if no file
 * descriptor is free to read it.
 */
export const processMetrics = (): readonly Metric[] => [
  counter('process_cpu_user_seconds_total', 'User CPU time.', () => process.cpuUsage().user / 1e6),
  counter('process_cpu_system_seconds_total', 'System CPU time.', () => process.cpuUsage().system / 1e6),
  counter('process_cpu_seconds_total', 'User and system CPU time.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }),
  gauge('process_start_time_seconds', 'When the process started.', () =>
    Math.round(performance.timeOrigin / 1000),
  ),
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
  gauge('process_virtual_memory_bytes', 'Virtual memory.', () => kilobytes('VmSize')),
  gauge('process_heap_bytes', 'Data segment of the process.', () => kilobytes('VmData')),
  gauge('process_open_fds', 'Open file descriptors.', () => readdirSync('/proc/self/fd').length - 1),
  gauge('process_max_fds', 'Maximum number of open file descriptors.', () =>
    numberIn('/proc/self/limits', /^Max open files\s+(\d+)/m),
  ),
  gauge('nodejs_heap_size_total_bytes', 'Size of the heap.', () => process.memoryUsage().heapTotal),
  gauge('nodejs_heap_size_used_bytes', 'Used size of the heap.', () => process.memoryUsage().heapUsed),
  gauge('nodejs_external_memory_bytes', 'Memory outside the heap.', () => process.memoryUsage().external),
  gauge('nodejs_heap_space_size_total_bytes', 'Size of each heap space.', () => samplesBySpace('space_size')),
  gauge('nodejs_heap_space_size_used_bytes', 'Used size of each space.', () =>
    samplesBySpace('space_used_size'),
  ),
  gauge('nodejs_heap_space_size_available_bytes', 'Free size of each space.', () =>
    samplesBySpace('space_available_size'),
  ),
  gauge('nodejs_active_resources', 'What keeps the event loop alive, by type.', () =>
    [...Map.groupBy(process.getActiveResourcesInfo(), (type) => type)].map(
      ([type, all]) => [labels({ type }), all.length] as const,
    ),
  ),
]

const numberIn = (path: string, shape: RegExp) => {
  const found = shape.exec(readFileSync(path, 'utf8'))?.[1]
  return found === undefined ? undefined : Number(found)
}

const kilobytes = (name: string) =>
  (numberIn('/proc/self/status', new RegExp(`^${name}:\\s+(\\d+)`, 'm')) ?? Number.NaN) * 1024

const samplesBySpace = (size: 'space_size' | 'space_used_size' | 'space_available_size') =>
  getHeapSpaceStatistics().map(
    (space) => [labels({ space: space.space_name.replace(/_space$/, '') }), space[size]] as const,
  )

const gcMetric = 'nodejs_gc_duration_seconds'

/** An entry about a garbage collection. Node's types lack its `detail`. */
type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } }

/** Starts to record how long garbage collections take, by kind. */
export const garbageCollections = () => {
  const kinds = new Map<string, Distribution>()
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as readonly unknown[] as readonly CollectionEntry[]) {
      const kind = gcKinds[entry.detail.kind] ?? 'other'
      const seconds = kinds.get(kind) ?? distribution([0.001, 0.01, 0.1, 1, 2, 5])
      kinds.set(kind, seconds)
      seconds.observe(entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    text: () =>
      histogramText(
        gcMetric,
        'Duration of garbage collections, by kind.',
        [...kinds].flatMap(([kind, seconds]) => seconds.lines(gcMetric, labels({ kind }))),
      ),
    stop: () => observer.disconnect(),
  }
}

const gcKinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}
