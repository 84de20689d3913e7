export type Tasks = ReturnType<typeof openTasks>

export interface TaskState {
  readonly failures: number
  readonly isFailing: boolean
}

interface TaskLog {
  failed(name: string, error: unknown): void
  recovered(name: string): void
}

/** Runs background tasks. No request waits for a background task, so its failures are reported only here. */
export const openTasks = (log: TaskLog) => {
  const states = new Map<string, TaskState>()

  /** Reports the end of a run, with an error if it failed. */
  const reportRun = (name: string, error?: unknown) => {
    const { failures, isFailing } = states.get(name) ?? { failures: 0, isFailing: false }
    const hasFailed = error !== undefined
    states.set(name, { failures: failures + Number(hasFailed), isFailing: hasFailed })
    if (hasFailed) log.failed(name, error)
    else if (isFailing) log.recovered(name)
  }

  return {
    /** Runs the work periodically, one run at a time. Returns a function that stops the task. */
    every(name: string, periodMs: number, work: (isStopped: () => boolean) => unknown) {
      let isStopped = false
      let running: Promise<void> | undefined
      const run = async () => {
        try {
          await work(() => isStopped)
          reportRun(name)
        } catch (error) {
          if (!isStopped) reportRun(name, error)
        }
        running = undefined
      }
      reportRun(name)
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

    ended: reportRun,
    /** All tasks that have been started. */
    states: (): ReadonlyMap<string, TaskState> => states,

    /** The names of tasks whose last run failed. */
    failing: () => [...states].flatMap(([name, { isFailing }]) => (isFailing ? [name] : [])),
  }
}
