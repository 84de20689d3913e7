export type Tasks = ReturnType<typeof openTasks>

export interface TaskState {
  readonly failures: number
  readonly isFailing: boolean
}

interface TaskLog {
  failed(name: string, error: unknown): void
  recovered(name: string): void
}

/** Background work. No request waits for background work, so its failures are reported only here. */
export const openTasks = (log: TaskLog) => {
  const states = new Map<string, TaskState>()

  /** Reports the end of a run, with an error if it failed. */
  const ended = (name: string, error?: unknown) => {
    const { failures, isFailing } = states.get(name) ?? { failures: 0, isFailing: false }
    const hasFailed = error !== undefined
    states.set(name, { failures: failures + Number(hasFailed), isFailing: hasFailed })
    if (hasFailed) log.failed(name, error)
    else if (isFailing) log.recovered(name)
  }

  return {
    /** Runs the work periodically, one run at a time. Returns a function that stops it. */
    every(name: string, periodMs: number, work: (isStopped: () => boolean) => unknown) {
      let isStopped = false
      let running: Promise<void> | undefined
      const run = async () => {
        try {
          await work(() => isStopped)
          ended(name)
        } catch (error) {
          if (!isStopped) ended(name, error)
        }
        running = undefined
      }
      ended(name)
      const timer = setInterval(() => {
        running ??= run()
      }, periodMs)
      timer.unref()
      return async () => {
        isStopped = true
        clearInterval(timer)
        await running
      }
    },

    ended,
    /** All tasks so far, with their numbers of failures. */
    states: (): ReadonlyMap<string, TaskState> => states,

    /** The names of tasks whose last run failed. */
    failing: () => [...states].flatMap(([name, { isFailing }]) => (isFailing ? [name] : [])),
  }
}
