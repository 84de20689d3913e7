import { overloaded, storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Observer } from './engine.ts'
import { type PauseLimits, readerPauses } from './reader-pauses.ts'
import { type RowRange, timeSlices } from './time-slices.ts'

interface Batch {
  readonly size: number
  readonly last: boolean
}

interface Source<B> {
  next(): Promise<B>
  /** Called once: when everything is read, when the reader leaves, or when it is too slow (`isLate`). */
  end(isLate: boolean): void
}

interface Paced<B> extends RowRange {
  readonly batch: B
  readonly isWhole: boolean
}

interface PacedStreamsParts {
  readonly limits: PauseLimits & { readonly streams: number; readonly maxWaiting: number }
  readonly waitMs: number
  readonly observer: Observer
  /** Whether a caller waits for a connection that a stream holds. */
  readonly isWaitedFor?: () => boolean
}

/** Runs a bounded number of streams. Each yields small ranges of rows, and fetches the next batch meanwhile. */
export const pacedStreams = (parts: PacedStreamsParts) => {
  const { limits, waitMs, observer, isWaitedFor = () => false } = parts
  const { streams, maxWaiting } = limits
  const places = slots({ places: streams, maxWaiting, waitMs, refusal: () => overloaded() })
  observer.poolOpened?.('streams', places)
  const rowRanges = timeSlices()

  return async function* stream<B extends Batch>(open: () => Promise<Source<B>>): AsyncGenerator<Paced<B>> {
    await places.take()
    let source: Source<B> | undefined
    let isOpen = true
    /** Also called by the timer of `pauses`, because a reader may never ask for the next batch. */
    const end = (isLate: boolean) => {
      if (!isOpen) return
      isOpen = false
      pauses.stop()
      source?.end(isLate)
      places.release()
    }
    const isNeeded = () => places.waiting() > 0 || isWaitedFor()
    const pauses = readerPauses({ limits, isWaitedFor: isNeeded, end: () => end(true) })
    try {
      source = await open()
      let pending = source.next()
      for (let isFirst = true; ; isFirst = false) {
        const batch = await pending
        if (!batch.last) pending = source.next()
        // Nobody awaits the pending batch if the reader leaves early.
        pending.catch(() => undefined)
        const isWhole = isFirst && batch.last
        for await (const { from, to } of isWhole ? [{ from: 0, to: batch.size }] : rowRanges(batch.size)) {
          pauses.beginPause()
          yield { batch, from, to, isWhole }
          pauses.endPause(to - from)
          if (batch.last && to === batch.size) return
          if (!isOpen) throw storageUnavailable(new Error('a stream was read too slowly'))
        }
        if (batch.last) return
      }
    } finally {
      end(false)
    }
  }
}
