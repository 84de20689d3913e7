/** Pseudo-random numbers, the same for the same seed. */
export interface Random {
  /** 0 … below - 1 */
  readonly int: (below: number) => number
  /** From 0 to 1, never 1. */
  readonly share: () => number
  readonly chance: (oneIn: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  readonly bytes: (length: number) => Buffer
}

export const random = (seed: number, stream = 0): Random => {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const int = (below: number): number => next() % below
  return {
    int,
    share: () => next() / 2 ** 32,
    chance: (oneIn) => int(oneIn) === 0,
    pick: (list) => list[int(list.length)] as (typeof list)[number],
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  }
}
