/** In words, of milliseconds. */
export const spreadOf = (list: readonly number[]) => {
  const sorted = list.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms (${list.length})`
}
