import { overloaded, storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Observer } from './engine.ts'
import { type PauseLimits, readerPauses } from './reader-pauses.ts'
import { type Piece, turns } from './turns.ts'

/** Some rows of a stream. */
interface Batch {
  readonly size: number
  readonly last: boolean
}

/** Where the batches of one stream come from. */
interface Source<B> {
  next(): Promise<B>
  /** Called once: when all is read, the reader leaves, or (late) is too slow and may never come back. */
  end(isLate: boolean): void
}

interface Paced<B> extends Piece {
  readonly batch: B
  /** It is all there is. */
  readonly isWhole: boolean
}

interface PacedStreamsParts {
  readonly limits: PauseLimits & { readonly streams: number; readonly maxWaiting: number }
  readonly waitMs: number
  readonly observer: Observer
  /** Whether somebody waits for what streams use beside their places. */
  readonly isWaitedFor?: () => boolean
}

/** Streams in a bounded number of places. Each is given in pieces, and the next batch is fetched while one is being sent. */
export const pacedStreams = (parts: PacedStreamsParts) => {
  const { limits, waitMs, observer, isWaitedFor = () => false } = parts
  const { streams, maxWaiting } = limits
  const places = slots({ places: streams, maxWaiting, waitMs, refusal: () => overloaded() })
  observer.poolOpened?.('streams', places)
  const shared = turns()

  return async function* stream<B extends Batch>(open: () => Promise<Source<B>>): AsyncGenerator<Paced<B>> {
    await places.take()
    let source: Source<B> | undefined
    let isOpen = true
    /** Also runs if the reader never asks for the next batch. */
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
        // A reader that leaves early leaves behind a batch that nobody awaits.
        pending.catch(() => undefined)
        const isWhole = isFirst && batch.last
        for await (const { from, to } of isWhole
          ? [{ from: 0, to: batch.size }]
          : shared.pieces(batch.size)) {
          pauses.begin()
          yield { batch, from, to, isWhole }
          pauses.finish(to - from)
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
