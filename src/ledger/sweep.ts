/** Something that forgets what has expired, a little at a time. */
export interface Sweepable {
  /** How many were forgotten. */
  sweep(): Promise<number>
}

const sweepEveryMs = 60_000

/** Sweeps now and then, for as long as there is something to sweep. */
export const sweeping = (sweepable: Sweepable, failed: (error: unknown) => void) => {
  let isStopped = false
  const sweep = async () => {
    while (!isStopped && (await sweepable.sweep()) > 0);
  }
  const timer = setInterval(() => void sweep().catch(failed), sweepEveryMs)
  timer.unref()
  return {
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
