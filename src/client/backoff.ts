/** A restarting service is unavailable for at most seven seconds. This many retries take more than nine. */
export const defaultRetries = 6

const firstWaitMs = 200

interface BackoffOptions {
  /** The wait that the service asks for. */
  readonly requestedMs: number | undefined
  readonly maxMs: number
  /** A random number from 0 to 1, so that not all callers retry at the same time. */
  readonly chance: number
}

/** The wait before a retry: as long as the service asks for, or twice as long after each attempt. */
export const backoffMs = (attempt: number, { requestedMs, maxMs, chance }: BackoffOptions) =>
  requestedMs === undefined
    ? Math.min(firstWaitMs * 2 ** attempt * (0.75 + chance / 4), maxMs)
    : requestedMs + chance * firstWaitMs

/** Waits. Ends early if the caller aborts. */
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
