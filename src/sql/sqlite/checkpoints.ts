import { type Question, Thread } from './thread.ts'

export interface CheckpointOptions {
  readonly path: string
  /** Writing statements between two of them. */
  readonly every: number
  /** Works while no transaction is open. */
  readonly between: (work: () => Promise<void>) => Promise<void>
}

/** Keeps the log short, on a thread: what it folds into the file must not hold up whoever asks meanwhile. */
export const checkpoints = ({ path, every, between }: CheckpointOptions) => {
  let thread: Thread<Question, number> | undefined
  let statements = 0
  let running: Promise<void> | undefined
  let lastId = 0

  const checkpoint = async () => {
    thread ??= new Thread(new URL('./checkpoint.thread.ts', import.meta.url), path, () => {
      thread = undefined
    })
    await thread.ask({ id: ++lastId })
  }

  /** The first goes beside the writes; the second has little left, and ends the log while they wait. */
  const run = async () => {
    await checkpoint()
    await between(checkpoint)
  }

  return {
    written(count: number) {
      statements += count
      if (statements < every || running) return
      statements = 0
      // Should it fail, the log grows until the next one, or until SQLite itself steps in.
      running = run()
        .catch(() => undefined)
        .finally(() => {
          running = undefined
        })
    },

    async close() {
      await running
      await thread?.close()
    },
  }
}
