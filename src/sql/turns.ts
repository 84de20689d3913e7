import { afterDeparture, departed } from '#core/departure.ts'

export type Turns = ReturnType<typeof turns>

/** Rows of a batch, without that at `to`. */
export interface Piece {
  readonly from: number
  readonly to: number
}

/** What is made of so many rows at once keeps nobody waiting long. */
const pieceRows = 64

/** In one turn of the event loop streams together begin new batches for so long. */
const sliceMs = 0.25

/** Behind a slice, where others were answered since the one before. */
const restMs = 1

/**
 * Lets in whoever waits in line, behind the answers of this turn of the event loop and until its slice is used up; the
 * others come in the next turns. Without it answers of a thread, which are taken one after another, keep all other
 * requests out. While others are answered streams have a fifth of the time: who asks for one record, and again as soon as it
 * has it, would else meet a slice each time, and most collections of garbage, which streams make.
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

  /** The end comes first in the next turn: nobody who is put off is in line before it. */
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
