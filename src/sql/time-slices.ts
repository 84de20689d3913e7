import { afterResponses, responsesSent } from '#core/response-batch.ts'

/** Rows of a batch, from `from` up to but not including `to`. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

/** The number of rows in a range. So few that no other request waits long for them. */
const rangeRows = 64

/** The time in each turn of the event loop in which streams, all together, may begin new ranges. */
const sliceMs = 0.25

/** The pause after a slice, if other requests were answered since the previous slice. */
const restMs = 1

/**
 * Shares the event loop among streams. In each turn, after the responses to other requests were sent, queued streams continue
 * until the slice is used up; the remaining streams continue in later turns. Without slices, the batches of a reader thread
 * would be processed one after another, and all other requests would starve.
 *
 * While other requests are answered, streams also rest between slices, so streams get only a fifth of the time. Without rests,
 * a caller who reads one record after another would wait each time for a slice, and for most of the garbage collection that
 * streams cause.
 */
export const timeSlices = () => {
  const queue: (() => void)[] = []
  let sliceStartedAt: number | undefined
  let restUntil = 0
  let sentBefore = responsesSent()

  const continueNext = () => {
    if (performance.now() < restUntil) return void setTimeout(continueNext, restMs)
    afterResponses(() => {
      sliceStartedAt ??= beginSlice()
      if (performance.now() - sliceStartedAt > sliceMs) setImmediate(continueNext)
      else queue.shift()?.()
    })
  }

  /** The slice ends when the next turn begins, before the deferred streams continue. */
  const beginSlice = () => {
    setImmediate(() => {
      sliceStartedAt = undefined
      if (responsesSent() > sentBefore) restUntil = performance.now() + restMs
      sentBefore = responsesSent()
    })
    return performance.now()
  }

  const waitForTurn = () =>
    new Promise<void>((admit) => {
      queue.push(admit)
      setImmediate(continueNext)
    })

  /** Divides `size` rows into ranges, and yields each range when its stream may continue. */
  return async function* rowRanges(size: number): AsyncGenerator<RowRange, void, undefined> {
    for (let from = 0; from < size; from += rangeRows) {
      await waitForTurn()
      yield { from, to: Math.min(from + rangeRows, size) }
    }
  }
}
