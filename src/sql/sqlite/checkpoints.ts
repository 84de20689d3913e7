import type { Checkpointed, CheckpointQuestion } from './checkpoint.thread.ts'
import type { Limits } from './limits.ts'
import { Thread } from './thread.ts'

export interface CheckpointOptions {
  readonly path: string
  readonly limits: Limits
  /** Works while no transaction is open. */
  readonly between: (work: () => Promise<void>) => Promise<void>
  /** Whoever holds a snapshot on this thread lets go of it. */
  readonly letGo: () => void
}

type Mode = CheckpointQuestion['mode']

/** Keeps the log short, on a thread: what it folds into the file must not hold up whoever asks meanwhile. */
export const checkpoints = ({ path, limits, between, letGo }: CheckpointOptions) => {
  let thread: Thread<CheckpointQuestion, Checkpointed> | undefined
  let statements = 0
  let running: Promise<void> | undefined
  let lastId = 0
  const patience = restartPatience()

  const checkpoint = (mode: Mode, waitMs = 0) => {
    thread ??= new Thread(new URL('./checkpoint.thread.ts', import.meta.url), path, () => {
      thread = undefined
    })
    return thread.ask({ id: ++lastId, mode, waitMs })
  }

  /** The first goes beside the writes; the second has little left, and ends the log while they wait. */
  const run = async () => {
    await checkpoint('PASSIVE')
    await between(async () => {
      const { pages } = await checkpoint('PASSIVE')
      if (pages > limits.longLogPages) await patience.spend(beginAnew)
    })
  }

  /**
   * The log begins anew when nobody reads of it, which may never be where readers overlap. When all of it is folded, those
   * who come read of the file alone, so only those are waited for who are there.
   */
  const beginAnew = async (waitMs: number) => {
    const { isBusy } = await checkpoint('FULL', waitMs)
    if (isBusy) return false
    letGo()
    return !(await checkpoint('RESTART', waitMs)).isBusy
  }

  const fold = () => {
    if (running) return
    statements = 0
    // Should it fail, the log grows until the next one.
    running = run()
      .catch(() => undefined)
      .finally(() => {
        running = undefined
      })
  }

  return {
    fold,

    written(count: number) {
      statements += count
      if (statements >= limits.checkpointStatements) fold()
    },

    async close() {
      await running
      await thread?.close()
    },
  }
}

const shortestWaitMs = 100
const longestWaitMs = 800
const pauses = 9

/** Writes wait meanwhile: so for readers that do not go it waits longer each time, but for a tenth of all time at most. */
const restartPatience = () => {
  let waitMs = shortestWaitMs
  let notBeforeMs = 0
  return {
    async spend(work: (waitMs: number) => Promise<boolean>) {
      const startedAtMs = performance.now()
      if (startedAtMs < notBeforeMs) return
      const isDone = await work(waitMs)
      waitMs = isDone ? shortestWaitMs : Math.min(waitMs * 2, longestWaitMs)
      notBeforeMs = performance.now() + pauses * (performance.now() - startedAtMs)
    },
  }
}
