import { useEffect } from 'preact/hooks'
import { readMetrics } from '#console/app/api/metrics.ts'
import { store, useStore } from '#console/app/state/store.ts'
import { type Point, pointBetween } from './point.ts'
import { type Snapshot, snapshotOf } from './snapshot.ts'

export const pollIntervalMs = 2_000
export const windowMs = 300_000

interface Watched {
  readonly state: 'beginning' | 'watching' | 'absent'
  readonly points: readonly Point[]
}

/** Outlives the page, so that a returning user finds the last minutes. */
const watched = store<Watched>({ state: 'beginning', points: [] })

let last: Snapshot | undefined

/** Polls the metrics of the service while it is mounted and visible. */
export const useWatch = (): Watched => {
  useEffect(() => {
    const controller = new AbortController()
    let isPolling = false
    const poll = async () => {
      if (document.hidden || isPolling) return
      isPolling = true
      await pollOnce(controller.signal)
      isPolling = false
    }
    void poll()
    const timer = setInterval(poll, pollIntervalMs)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [])
  return useStore(watched)
}

/** A failed poll leaves a gap; the banner reports that the service is away. */
const pollOnce = async (signal: AbortSignal) => {
  const samples = await readMetrics(signal).catch(() => null)
  if (samples === null) return
  if (samples === undefined) return watched.set({ state: 'absent', points: [] })
  const next = snapshotOf(samples, Date.now())
  const point = last && pointBetween(last, next)
  last = next
  const { points } = watched.get()
  // A clock that was set back leaves points in the future.
  const kept = points.filter(({ atMs }) => atMs > next.atMs - windowMs && atMs < next.atMs)
  watched.set({ state: 'watching', points: point ? [...kept, point] : kept })
}
