import { setTimeout as sleep } from 'node:timers/promises'
import type { Observer } from '#sql/engine.ts'
import type { CheckpointQuestion, CheckpointResult } from './checkpoint.thread.ts'
import type { Limits } from './limits.ts'
import { Thread } from './thread.ts'

interface CheckpointOptions {
  readonly path: string
  readonly limits: Limits
  readonly observer: Observer
  /** Runs the work while no transaction is open. */
  readonly runBetweenTransactions: (work: () => Promise<void>) => Promise<void>
  readonly releaseSnapshot: () => void
  /** Overwrites deleted data in the database file. Called while the WAL is empty and no transaction is open. */
  readonly overwriteDeleted: () => Promise<void>
}

type Mode = CheckpointQuestion['mode']

/** Keeps the WAL short. Checkpoints run on another thread, so no request waits for the copying. */
export const checkpoints = (options: CheckpointOptions) => {
  const { path, limits, observer, runBetweenTransactions, releaseSnapshot, overwriteDeleted } = options
  let thread: Thread<CheckpointQuestion, CheckpointResult> | undefined
  let rowsSinceCheckpoint = 0
  let running: Promise<void> | undefined
  let lastId = 0
  let isWalTooLong = false
  let mustOverwrite = false
  let isSuspended = false
  let isClosed = false
  const backoff = restartBackoff()

  const askThread = (mode: Mode, waitMs = 0) => {
    thread ??= new Thread(new URL('./checkpoint.thread.ts', import.meta.url), path, () => {
      thread = undefined
    })
    return thread.ask({ id: ++lastId, mode, waitMs })
  }

  /** Writes continue during the first checkpoint. They wait for the second checkpoint, which has little left to copy. */
  const runCheckpoint = async () => {
    if (mustOverwrite)
      await runBetweenTransactions(async () => void (await backoff.attempt(truncateAndOverwrite)))
    const first = await askThread('PASSIVE')
    if (first.pages <= limits.shortWalPages) return
    await runBetweenTransactions(async () => {
      const { pages, checkpointed } = await askThread('PASSIVE')
      const isShort = pages <= limits.longWalPages || (await restartWal(checkpointed === pages))
      isWalTooLong = pages > limits.maxWalPages && !isShort
    })
  }

  /**
   * The WAL can restart only at a moment when nobody reads it. If readers overlap, there may never be one. Once the whole WAL has
   * been checkpointed, new readers use only the file, so the restart waits only for the present readers.
   */
  const restartWal = (isAllCheckpointed: boolean) =>
    isAllCheckpointed ? restart(minWaitMs) : backoff.attempt(completeAndRestart)

  const completeAndRestart = async (waitMs: number) =>
    !(await askThread('FULL', waitMs)).isBusy && restart(waitMs)

  const restart = async (waitMs: number) => {
    releaseSnapshot()
    return !(await askThread('RESTART', waitMs)).isBusy
  }

  const truncateAndOverwrite = async (waitMs: number) => {
    releaseSnapshot()
    if ((await askThread('TRUNCATE', waitMs)).isBusy) return false
    await overwriteDeleted()
    mustOverwrite = false
    return true
  }

  const checkpoint = () => {
    if (running || isSuspended || isClosed) return
    rowsSinceCheckpoint = 0
    // If the checkpoint fails, for example on a full disk, the next commit starts another one.
    running = runCheckpoint()
      .then(
        () => observer.taskEnded?.('checkpoint'),
        (error) => {
          rowsSinceCheckpoint = limits.checkpointRows
          observer.taskEnded?.('checkpoint', error)
        },
      )
      .finally(() => {
        running = undefined
        if (mustOverwrite) setTimeout(checkpoint, overwriteAgainMs).unref()
      })
  }

  return {
    checkpoint,

    /** Empties the WAL and overwrites deleted data as soon as no reader uses the WAL. */
    overwriteDeleted() {
      mustOverwrite = true
      checkpoint()
    },

    mustOverwriteDeleted: () => mustOverwrite,

    /** Waits until the WAL is short enough for a long read. Returns false if the WAL is still too long after `waitMs`. */
    async waitForShortWal(waitMs: number) {
      const giveUpAtMs = performance.now() + waitMs
      while (isWalTooLong && !isClosed && performance.now() < giveUpAtMs) {
        checkpoint()
        await Promise.all([running, sleep(checkIntervalMs)])
      }
      return !isWalTooLong
    },

    countWritten(rows: number) {
      rowsSinceCheckpoint += rows
      if (rowsSinceCheckpoint >= limits.checkpointRows) checkpoint()
    },

    /** Ends the thread. No thread starts before `resume`. */
    async suspend() {
      isSuspended = true
      await thread?.close()
    },

    resume() {
      isSuspended = false
    },

    async close() {
      isClosed = true
      await running
      await thread?.close()
    },
  }
}

const checkIntervalMs = 50

/** The pause before another attempt to overwrite deleted data. */
const overwriteAgainMs = 1_000

const minWaitMs = 100
const maxWaitMs = 800
const pauseFactor = 9

/** While a restart waits for readers, writes wait too. Each failure doubles this wait. All waits together take at most a tenth of the time. */
const restartBackoff = () => {
  let waitMs = minWaitMs
  let notBeforeMs = 0
  return {
    async attempt(work: (waitMs: number) => Promise<boolean>) {
      const startedAtMs = performance.now()
      if (startedAtMs < notBeforeMs) return false
      const isDone = await work(waitMs)
      waitMs = isDone ? minWaitMs : Math.min(waitMs * 2, maxWaitMs)
      notBeforeMs = performance.now() + pauseFactor * (performance.now() - startedAtMs)
      return isDone
    },
  }
}
