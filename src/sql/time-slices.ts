import { afterResponses, responsesSent } from '#core/response-batch.ts'

/** Rows of a batch, from `from` up to but not including `to`. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

/** Few enough rows that no other request waits long for them. */
const rangeRows = 64

/** How long all streams together may begin new ranges in one turn of the event loop. */
const sliceMs = 0.25

/** The pause after a slice, if other requests were answered since the previous slice. */
const restMs = 1

/**
 * Shares the event loop among streams. In each turn, after the other responses have left, queued streams continue until the
 * slice is used up; the rest continue in later turns. Otherwise the batches of a reader thread, processed one after another,
 * would starve all other requests.
 *
 * While other requests are answered, streams also rest between slices, which leaves them a fifth of the time. Otherwise a
 * caller who reads one record after another would wait for a slice each time, and for most of the garbage collection that
 * streams cause.
 */
export const timeSlices = () => {
  const queue: (() => void)[] = []
  let sliceStartedAt: number | undefined
  let restUntil = 0
  let sentBefore = responsesSent()

  const admitNext = () => {
    if (performance.now() < restUntil) return void setTimeout(admitNext, restMs)
    afterResponses(() => {
      sliceStartedAt ??= begin()
      if (performance.now() - sliceStartedAt > sliceMs) setImmediate(admitNext)
      else queue.shift()?.()
    })
  }

  /** The slice ends when the next turn begins, before the deferred streams continue. */
  const begin = () => {
    setImmediate(() => {
      sliceStartedAt = undefined
      if (responsesSent() > sentBefore) restUntil = performance.now() + restMs
      sentBefore = responsesSent()
    })
    return performance.now()
  }

  const admitted = () =>
    new Promise<void>((admit) => {
      queue.push(admit)
      setImmediate(admitNext)
    })

  /** Divides `size` rows into ranges, and yields each when its stream may continue. */
  return async function* rowRanges(size: number): AsyncGenerator<RowRange, void, undefined> {
    for (let from = 0; from < size; from += rangeRows) {
      await admitted()
      yield { from, to: Math.min(from + rangeRows, size) }
    }
  }
}
