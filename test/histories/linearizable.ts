import type { Operation } from './operation.ts'
import { initial, type State, step, tells } from './register.ts'

export interface Verdict {
  readonly linearizable: 'yes' | 'no' | 'undecided'
  readonly steps: number
  /** Where the longest attempt stuck: the operations none of which could come next. */
  readonly stuck?: readonly Operation[]
}

/**
 * Whether the answers about one record could have come from one place, one at a time, each between its invoke and
 * its end (Wing and Gong 1993, with the memory of Lowe 2017). Operations of unknown fate may happen or not.
 */
export const linearizable = (all: readonly Operation[], stepLimit = 2_000_000): Verdict => {
  const operations = relevant(all)
  const required = operations.filter(({ outcome }) => outcome !== 'info').length
  const tried = new Set<string>()
  const done = new Uint8Array(operations.length)
  const path: Choice[] = []
  let state: State = initial
  let doneRequired = 0
  let deepest = -1
  let stuck: readonly Operation[] = []
  let next = 0

  for (let steps = 0; ; steps++) {
    if (doneRequired === required) return { linearizable: 'yes', steps }
    if (steps >= stepLimit) return { linearizable: 'undecided', steps, stuck }
    const choice = choose(operations, done, { state, from: next, tried })
    if (choice) {
      path.push({ index: choice.index, before: state })
      done[choice.index] = 1
      state = choice.state
      if (operations[choice.index]?.outcome !== 'info') doneRequired++
      next = 0
      continue
    }
    if (doneRequired > deepest) {
      deepest = doneRequired
      stuck = candidates(operations, done).flatMap((index) => operations[index] ?? [])
    }
    const last = path.pop()
    if (!last) return { linearizable: 'no', steps, stuck }
    done[last.index] = 0
    state = last.before
    if (operations[last.index]?.outcome !== 'info') doneRequired--
    next = last.index + 1
  }
}

interface Choice {
  readonly index: number
  readonly before: State
}

interface Place {
  readonly state: State
  readonly from: number
  readonly tried: Set<string>
}

/** Reads of unknown fate tell nothing, nor do refusals that did not look. */
const relevant = (all: readonly Operation[]) =>
  all
    .filter((operation) => tells(operation) && !(operation.outcome === 'info' && operation.op === 'read'))
    .sort((a, b) => a.invokedNs - b.invokedNs)

/** The next operation that may come now and leads where the search has not been. */
const choose = (operations: readonly Operation[], done: Uint8Array, { state, from, tried }: Place) => {
  for (const index of candidates(operations, done)) {
    const operation = operations[index]
    if (index < from || !operation) continue
    const after = step(state, operation)
    if (after === undefined) continue
    done[index] = 1
    const place = placeName(done, after)
    done[index] = 0
    if (tried.has(place)) continue
    tried.add(place)
    return { index, state: after }
  }
  return undefined
}

/** What was invoked before the first end among those that are left. */
const candidates = (operations: readonly Operation[], done: Uint8Array) => {
  const found: number[] = []
  let firstEndNs = Number.POSITIVE_INFINITY
  for (const [index, operation] of operations.entries()) {
    if (operation.invokedNs > firstEndNs) break
    if (done[index]) continue
    found.push(index)
    firstEndNs = Math.min(firstEndNs, operation.endedNs)
  }
  return found.filter((index) => (operations[index]?.invokedNs ?? 0) <= firstEndNs)
}

/** The set of what is done, without the long beginning that is done in every case. */
const placeName = (done: Uint8Array, state: State) => {
  let start = done.indexOf(0)
  if (start < 0) start = done.length
  const end = done.lastIndexOf(1) + 1
  return `${start}:${start < end ? Buffer.from(done.subarray(start, end)).toString('latin1') : ''}:${state}`
}
