import { afterDeparture, departed } from '#core/departure.ts'

export type Turns = ReturnType<typeof turns>

/** Rows of a batch, from `from` up to but not including `to`. */
export interface Piece {
  readonly from: number
  readonly to: number
}

/** Few enough rows that processing them keeps nobody waiting long. */
const pieceRows = 64

/** How long, per turn of the event loop, all streams together may begin new pieces. */
const sliceMs = 0.25

/** The pause after a slice, if other requests were answered since the previous slice. */
const restMs = 1

/**
 * Streams take turns here. In each turn of the event loop, after its answers have left, queued streams continue until the
 * slice is used up; the others continue in later turns. Otherwise a reader thread's answers, processed one after another,
 * would starve all other requests.
 *
 * While other requests are answered, streams also rest between slices, which leaves them a fifth of the time. Otherwise a
 * caller who reads one record after another would wait each time for a slice, and for most of the garbage collection that
 * streams cause.
 */
export const turns = () => {
  const queue: (() => void)[] = []
  let sliceStartedAt: number | undefined
  let restUntil = 0
  let departedBefore = departed()

  const admitNext = () => {
    if (performance.now() < restUntil) return void setTimeout(admitNext, restMs)
    afterDeparture(() => {
      sliceStartedAt ??= begin()
      if (performance.now() - sliceStartedAt > sliceMs) setImmediate(admitNext)
      else queue.shift()?.()
    })
  }

  /** The slice ends at the start of the next turn, before the deferred streams continue. */
  const begin = () => {
    setImmediate(() => {
      sliceStartedAt = undefined
      if (departed() > departedBefore) restUntil = performance.now() + restMs
      departedBefore = departed()
    })
    return performance.now()
  }

  const next = () =>
    new Promise<void>((enter) => {
      queue.push(enter)
      setImmediate(admitNext)
    })

  return {
    next,

    /** Divides `size` rows into pieces, each in its own turn. */
    async *pieces(size: number): AsyncGenerator<Piece, void, undefined> {
      for (let from = 0; from < size; from += pieceRows) {
        await next()
        yield { from, to: Math.min(from + pieceRows, size) }
      }
    },
  }
}
