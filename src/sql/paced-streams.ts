import { overloaded, storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Observer } from './engine.ts'
import { type PauseLimits, readerPauses } from './reader-pauses.ts'
import { type RowRange, timeSlices } from './time-slices.ts'

interface Batch {
  readonly size: number
  readonly isLast: boolean
}

interface BatchSource<B> {
  next(): Promise<B>
  /** Called once: when all rows are read, when the reader leaves, or when the reader is too slow (`isLate`). */
  end(isLate: boolean): void
}

interface BatchRange<B> extends RowRange {
  readonly batch: B
  /** True if the range is all that the stream yields. */
  readonly isWhole: boolean
}

interface PacedStreamsOptions {
  readonly limits: PauseLimits & { readonly streams: number; readonly maxWaiting: number }
  readonly waitMs: number
  readonly observer: Observer
  /** True if a caller waits for a connection that a stream holds. */
  readonly hasWaitingCaller?: () => boolean
}

/** Runs a bounded number of streams. Each stream yields small ranges of rows, and meanwhile fetches the next batch. */
export const pacedStreams = (options: PacedStreamsOptions) => {
  const { limits, waitMs, observer, hasWaitingCaller = () => false } = options
  const { streams, maxWaiting } = limits
  const streamSlots = slots({ places: streams, maxWaiting, waitMs, refusal: overloaded })
  observer.poolOpened?.('streams', streamSlots)
  const rowRanges = timeSlices()

  return async function* stream<B extends Batch>(
    open: () => Promise<BatchSource<B>>,
  ): AsyncGenerator<BatchRange<B>> {
    await streamSlots.take()
    let source: BatchSource<B> | undefined
    let isOpen = true
    /** The timer of `pauses` also calls this, because a reader may never ask for the next batch. */
    const end = (isLate: boolean) => {
      if (!isOpen) return
      isOpen = false
      pauses.stop()
      source?.end(isLate)
      streamSlots.release()
    }
    const isSlotNeeded = () => streamSlots.waiting() > 0 || hasWaitingCaller()
    const pauses = readerPauses({ limits, isSlotNeeded, end: () => end(true) })
    try {
      source = await open()
      let pending = source.next()
      for (let isFirst = true; ; isFirst = false) {
        const batch = await pending
        if (!batch.isLast) pending = source.next()
        // Nobody awaits the pending batch if the reader leaves early.
        pending.catch(() => undefined)
        const isWhole = isFirst && batch.isLast
        for await (const { from, to } of isWhole ? [{ from: 0, to: batch.size }] : rowRanges(batch.size)) {
          pauses.beginPause()
          yield { batch, from, to, isWhole }
          pauses.endPause(to - from)
          if (batch.isLast && to === batch.size) return
          if (!isOpen) throw storageUnavailable(new Error('a stream was read too slowly'))
        }
        if (batch.isLast) return
      }
    } finally {
      end(false)
    }
  }
}
