/** Background work. No request waits for it, so only this reports its failures. */
export interface Tasks {
  /** Runs the work periodically, one run at a time. Returns a function that stops it. */
  every(name: string, periodMs: number, work: (isStopped: () => boolean) => unknown): () => Promise<void>
  /** Reports the end of a run, with an error if it failed. */
  ended(name: string, error?: unknown): void
  /** All tasks so far, with their numbers of failures. */
  states(): ReadonlyMap<string, TaskState>
  /** The names of tasks whose last run failed. */
  failing(): readonly string[]
}

interface TaskState {
  readonly failures: number
  readonly isFailing: boolean
}

interface TaskLog {
  failed(name: string, error: unknown): void
  recovered(name: string): void
}

export const openTasks = (log: TaskLog): Tasks => {
  const states = new Map<string, TaskState>()

  const ended = (name: string, error?: unknown) => {
    const { failures, isFailing } = states.get(name) ?? { failures: 0, isFailing: false }
    const hasFailed = error !== undefined
    states.set(name, { failures: failures + Number(hasFailed), isFailing: hasFailed })
    if (hasFailed) log.failed(name, error)
    else if (isFailing) log.recovered(name)
  }

  return {
    every(name, periodMs, work) {
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
    states: () => states,
    failing: () => [...states].flatMap(([name, { isFailing }]) => (isFailing ? [name] : [])),
  }
}
