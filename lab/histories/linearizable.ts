import type { Operation } from './operation.ts'
import { initial, isTelling, type State, step } from './register.ts'

export interface Verdict {
  readonly linearizable: 'yes' | 'no' | 'undecided'
  readonly steps: number
  /** Where the longest attempt got stuck: none of these operations could come next. */
  readonly stuck?: readonly Operation[]
}

/**
 * True if the answers about one record could have come from a single copy that performs one operation at a time, each
 * between its invoke and its end (Wing and Gong 1993, memoised as in Lowe 2017). An operation whose outcome is unknown
 * may have happened or not.
 */
export const linearizable = (all: readonly Operation[], stepLimit = 10_000_000): Verdict => {
  const search = new Search(relevant(all))
  for (let steps = 0; steps < stepLimit; steps++) {
    if (search.isComplete()) return { linearizable: 'yes', steps }
    if (!search.goOn() && !search.goBack()) return { linearizable: 'no', steps, stuck: search.stuck }
  }
  return { linearizable: 'undecided', steps: stepLimit, stuck: search.stuck }
}

/** An order under construction: operations are appended, and taken back where none fits. */
class Search {
  stuck: readonly Operation[] = []
  readonly #operations: readonly Operation[]
  readonly #done: Uint8Array
  readonly #tried = new Set<string>()
  readonly #path: Choice[] = []
  #state: State = initial
  #from = 0
  #left: number
  #fewestLeft = Number.POSITIVE_INFINITY

  constructor(operations: readonly Operation[]) {
    this.#operations = operations
    this.#done = new Uint8Array(operations.length)
    this.#left = operations.filter(isCertain).length
  }

  /** Operations whose outcome is unknown need not be part of the order. */
  isComplete() {
    return this.#left === 0
  }

  /** Appends one operation; false if none fits. */
  goOn(): boolean {
    const place = { state: this.#state, from: this.#from, tried: this.#tried }
    const choice = choose(this.#operations, this.#done, place)
    if (!choice) return false
    this.#path.push({ index: choice.index, before: this.#state })
    this.#mark(choice.index, 1)
    this.#state = choice.state
    this.#from = 0
    return true
  }

  /** Takes back the last operation; false if there is none. */
  goBack(): boolean {
    this.#noteStuck()
    const last = this.#path.pop()
    if (!last) return false
    this.#mark(last.index, 0)
    this.#state = last.before
    this.#from = last.index + 1
    return true
  }

  #mark(index: number, done: 0 | 1) {
    this.#done[index] = done
    const operation = this.#operations[index]
    if (operation && isCertain(operation)) this.#left += done === 1 ? -1 : 1
  }

  #noteStuck() {
    if (this.#left >= this.#fewestLeft) return
    this.#fewestLeft = this.#left
    this.stuck = candidates(this.#operations, this.#done).flatMap((index) => this.#operations[index] ?? [])
  }
}

const isCertain = ({ outcome }: Operation) => outcome !== 'info'

interface Choice {
  readonly index: number
  readonly before: State
}

interface Place {
  readonly state: State
  readonly from: number
  readonly tried: Set<string>
}

/** Leaves out reads with an unknown outcome, and refusals that do not depend on the state: they say nothing. */
const relevant = (all: readonly Operation[]) =>
  all
    .filter((operation) => isTelling(operation) && !(operation.outcome === 'info' && operation.op === 'read'))
    .sort((a, b) => a.invokedNs - b.invokedNs)

/** The next operation that may come now and leads to a place not tried before. */
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

/** Of the remaining operations, those invoked before the first of their ends. */
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

/** The set of operations done, without its gapless beginning, and the state. */
const placeName = (done: Uint8Array, state: State) => {
  let start = done.indexOf(0)
  if (start < 0) start = done.length
  const end = done.lastIndexOf(1) + 1
  return `${start}:${start < end ? Buffer.from(done.subarray(start, end)).toString('latin1') : ''}:${state}`
}
