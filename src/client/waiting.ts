const firstWaitMs = 200

/** Twice as long each time, or as long as the service asks for; a part by chance, so that callers do not come back together. */
export const waitBeforeMs = (attempt: number, askedMs: number | undefined) => {
  const chance = Math.random()
  if (askedMs !== undefined) return askedMs + chance * firstWaitMs
  return firstWaitMs * 2 ** attempt * (0.5 + chance / 2)
}

/** Ends early when the caller gives up. */
export const pause = (waitMs: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, waitMs)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
