/** A restarting service is away for at most seven seconds; this many retries span more than nine. */
export const defaultRetries = 6

const firstWaitMs = 200

interface BackoffOptions {
  /** The wait that the service asks for. */
  readonly requestedMs: number | undefined
  readonly maxMs: number
  /** A random number from 0 to 1, so that callers do not all come back at once. */
  readonly chance: number
}

/** The wait that the service asks for, or one that doubles with each attempt. */
export const backoffMs = (attempt: number, { requestedMs, maxMs, chance }: BackoffOptions) =>
  requestedMs === undefined
    ? Math.min(firstWaitMs * 2 ** attempt * (0.75 + chance / 4), maxMs)
    : requestedMs + chance * firstWaitMs

/** Ends early when the caller aborts. */
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
