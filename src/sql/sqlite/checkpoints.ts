import { setTimeout as sleep } from 'node:timers/promises'
import type { Checkpointed, CheckpointQuestion } from './checkpoint.thread.ts'
import type { Limits } from './limits.ts'
import { Thread } from './thread.ts'

interface CheckpointOptions {
  readonly path: string
  readonly limits: Limits
  /** Works while no transaction is open. */
  readonly between: (work: () => Promise<void>) => Promise<void>
  /** Ends the snapshot that this thread's reader holds. */
  readonly letGo: () => void
}

type Mode = CheckpointQuestion['mode']

/** Keeps the log short. It is folded into the file on a thread of its own, so that no request waits for it. */
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

  /** The first checkpoint runs while others write. The second, for which writes wait, has little left to fold. */
  const run = async () => {
    await checkpoint('PASSIVE')
    await between(async () => {
      const { pages, folded } = await checkpoint('PASSIVE')
      const isShort = pages <= limits.longLogPages || (await beginAnew(folded === pages))
      isTooLong = pages > limits.longestLogPages && !isShort
    })
  }

  /**
   * The log begins anew only when nobody reads from it, which may never happen while readers overlap. Once all of it is folded,
   * new readers read from the file alone, so only the present ones have to be waited for.
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
    // If it fails, the log grows until the next checkpoint.
    running = run()
      .catch(() => undefined)
      .finally(() => {
        running = undefined
      })
  }

  return {
    fold,

    /** A long read waits until the log is no longer too long. False if it still was after `waitMs`. */
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

/** Writes wait while it waits for readers. So it waits longer after each time in vain, but never more than a tenth of all time. */
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
