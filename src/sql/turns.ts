import { afterDeparture, departed } from '#core/departure.ts'

export type Turns = ReturnType<typeof turns>

/** Rows of a batch, up to `to` and without it. */
export interface Piece {
  readonly from: number
  readonly to: number
}

/** So few rows that what is made of them keeps nobody waiting long. */
const pieceRows = 64

/** How long in one turn of the event loop all streams together begin new batches. */
const sliceMs = 0.25

/** The rest after a slice, if other requests were answered since the one before. */
const restMs = 1

/**
 * Streams take turns here. After the answers of each turn of the event loop, those in line go on until the slice is used up;
 * the rest go on in later turns. Without it the answers of a thread, taken one after another, would keep all other requests
 * out. While other requests are answered, streams rest between slices and so have a fifth of the time: otherwise a caller who
 * asks for one record after another would wait for a slice each time, and for most of the garbage that streams make.
 */
export const turns = () => {
  const line: (() => void)[] = []
  let begunAt: number | undefined
  let restUntil = 0
  let departedBefore = departed()

  const letIn = () => {
    if (performance.now() < restUntil) return void setTimeout(letIn, restMs)
    afterDeparture(() => {
      begunAt ??= begin()
      if (performance.now() - begunAt > sliceMs) setImmediate(letIn)
      else line.shift()?.()
    })
  }

  /** The slice ends at the start of the next turn, before those who were put off come. */
  const begin = () => {
    setImmediate(() => {
      begunAt = undefined
      if (departed() > departedBefore) restUntil = performance.now() + restMs
      departedBefore = departed()
    })
    return performance.now()
  }

  const next = () =>
    new Promise<void>((enter) => {
      line.push(enter)
      setImmediate(letIn)
    })

  return {
    next,

    /** Pieces of so many rows, each in its turn. */
    async *pieces(size: number): AsyncGenerator<Piece, void, undefined> {
      for (let from = 0; from < size; from += pieceRows) {
        await next()
        yield { from, to: Math.min(from + pieceRows, size) }
      }
    },
  }
}
