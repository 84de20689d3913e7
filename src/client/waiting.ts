/** A service that restarts is away for seven seconds at most; so many retries span more than nine. */
export const usualRetries = 6

const firstWaitMs = 200

interface Wait {
  /** What the service asks for. */
  readonly askedMs: number | undefined
  readonly longestMs: number
  /** From 0 to 1, by chance: so that callers do not all come back at once. */
  readonly chance: number
}

/** As long as the service asks for, or twice as long each time. */
export const waitBeforeMs = (attempt: number, { askedMs, longestMs, chance }: Wait) =>
  askedMs === undefined
    ? Math.min(firstWaitMs * 2 ** attempt * (0.75 + chance / 4), longestMs)
    : askedMs + chance * firstWaitMs

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
