import assert from 'node:assert/strict'

const rounds = 15
const timesEach = 20

/**
 * Asserts that sixteen times the input takes far less than quadratic time. An expression that backtracks over its input
 * takes 256 times as long; the bound leaves room for a busy machine.
 */
export const assertGrowsSlowly = (size: number, work: (size: number) => unknown) => {
  const short = fastestMs(() => work(size))
  const long = fastestMs(() => work(16 * size))
  assert.ok(long < 80 * short + 1, `${short} ms, then ${long} ms`)
}

const fastestMs = (work: () => unknown) => {
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now()
    for (let count = 0; count < timesEach; count++) work()
    return performance.now() - startedAt
  })
  return Math.min(...times)
}
