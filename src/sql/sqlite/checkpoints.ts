import { setTimeout as sleep } from 'node:timers/promises'
import type { Checkpointed, CheckpointQuestion } from './checkpoint.thread.ts'
import type { Limits } from './limits.ts'
import { Thread } from './thread.ts'

interface CheckpointOptions {
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
  let isTooLong = false
  let isClosed = false
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
      const { pages, folded } = await checkpoint('PASSIVE')
      const isShort = pages <= limits.longLogPages || (await beginAnew(folded === pages))
      isTooLong = pages > limits.longestLogPages && !isShort
    })
  }

  /**
   * The log begins anew when nobody reads of it, which may never be where readers overlap. When all of it is folded, those
   * who come read of the file alone, so only those are waited for who are there.
   */
  const beginAnew = (isAllFolded: boolean) =>
    isAllFolded ? restart(shortestWaitMs) : patience.spend(foldAndRestart)

  const foldAndRestart = async (waitMs: number) =>
    !(await checkpoint('FULL', waitMs)).isBusy && restart(waitMs)

  const restart = async (waitMs: number) => {
    letGo()
    return !(await checkpoint('RESTART', waitMs)).isBusy
  }

  const fold = () => {
    if (running || isClosed) return
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

    /** Whoever would read of the log for long waits until it is no longer too long; tells whether it came to that. */
    async settled(waitMs: number) {
      const giveUpAtMs = performance.now() + waitMs
      while (isTooLong && !isClosed && performance.now() < giveUpAtMs) {
        fold()
        await Promise.all([running, sleep(lookEveryMs)])
      }
      return !isTooLong
    },

    written(count: number) {
      statements += count
      if (statements >= limits.checkpointStatements) fold()
    },

    async close() {
      isClosed = true
      await running
      await thread?.close()
    },
  }
}

const lookEveryMs = 50

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
      if (startedAtMs < notBeforeMs) return false
      const isDone = await work(waitMs)
      waitMs = isDone ? shortestWaitMs : Math.min(waitMs * 2, longestWaitMs)
      notBeforeMs = performance.now() + pauses * (performance.now() - startedAtMs)
      return isDone
    },
  }
}
