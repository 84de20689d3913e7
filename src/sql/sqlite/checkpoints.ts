import { setTimeout as sleep } from 'node:timers/promises'
import type { Observer } from '#sql/engine.ts'
import type { Checkpointed, CheckpointQuestion } from './checkpoint.thread.ts'
import type { Limits } from './limits.ts'
import { Thread } from './thread.ts'

interface CheckpointOptions {
  readonly path: string
  readonly limits: Limits
  readonly observer: Observer
  /** Runs the work between two transactions. */
  readonly between: (work: () => Promise<void>) => Promise<void>
  readonly releaseSnapshot: () => void
  /** Overwrites deleted data. Meanwhile the WAL is empty and no transaction is open. */
  readonly scrub: () => Promise<void>
}

type Mode = CheckpointQuestion['mode']

/** Keeps the WAL short. Checkpoints run on their own thread, so that no request waits for them. */
export const checkpoints = ({
  path,
  limits,
  observer,
  between,
  releaseSnapshot,
  scrub,
}: CheckpointOptions) => {
  let thread: Thread<CheckpointQuestion, Checkpointed> | undefined
  let rows = 0
  let running: Promise<void> | undefined
  let lastId = 0
  let isTooLong = false
  let isUnclean = false
  let isEnded = false
  let isClosed = false
  const backoff = restartBackoff()

  const askThread = (mode: Mode, waitMs = 0) => {
    thread ??= new Thread(new URL('./checkpoint.thread.ts', import.meta.url), path, () => {
      thread = undefined
    })
    return thread.ask({ id: ++lastId, mode, waitMs })
  }

  /** Writes continue during the first checkpoint. They wait for the second, which has little left to copy. */
  const run = async () => {
    if (isUnclean) await between(async () => void (await backoff.attempt(truncateAndScrub)))
    const first = await askThread('PASSIVE')
    if (first.pages <= limits.shortWalPages) return
    await between(async () => {
      const { pages, checkpointed } = await askThread('PASSIVE')
      const isShort = pages <= limits.longWalPages || (await restartWal(checkpointed === pages))
      isTooLong = pages > limits.maxWalPages && !isShort
    })
  }

  /**
   * The WAL restarts only when nobody reads it, which may never happen while readers overlap. Once the whole WAL has been
   * checkpointed, new readers use only the file, so the restart waits only for the present readers.
   */
  const restartWal = (isAllCheckpointed: boolean) =>
    isAllCheckpointed ? restart(minWaitMs) : backoff.attempt(completeAndRestart)

  const completeAndRestart = async (waitMs: number) =>
    !(await askThread('FULL', waitMs)).isBusy && restart(waitMs)

  const restart = async (waitMs: number) => {
    releaseSnapshot()
    return !(await askThread('RESTART', waitMs)).isBusy
  }

  const truncateAndScrub = async (waitMs: number) => {
    releaseSnapshot()
    if ((await askThread('TRUNCATE', waitMs)).isBusy) return false
    await scrub()
    isUnclean = false
    return true
  }

  const checkpoint = () => {
    if (running || isEnded || isClosed) return
    rows = 0
    // If it fails, for example on a full disk, the next commit starts another checkpoint.
    running = run()
      .then(
        () => observer.taskEnded?.('checkpoint'),
        (error) => {
          rows = limits.checkpointRows
          observer.taskEnded?.('checkpoint', error)
        },
      )
      .finally(() => {
        running = undefined
        if (isUnclean) setTimeout(checkpoint, scrubAgainMs).unref()
      })
  }

  return {
    checkpoint,

    /** Empties the WAL and overwrites deleted data, as soon as no reader prevents it. */
    scrub() {
      isUnclean = true
      checkpoint()
    },

    isUnclean: () => isUnclean,

    /** Waits until the WAL is short enough for a long read. False if it is still too long after `waitMs`. */
    async settled(waitMs: number) {
      const giveUpAtMs = performance.now() + waitMs
      while (isTooLong && !isClosed && performance.now() < giveUpAtMs) {
        checkpoint()
        await Promise.all([running, sleep(checkIntervalMs)])
      }
      return !isTooLong
    },

    written(count: number) {
      rows += count
      if (rows >= limits.checkpointRows) checkpoint()
    },

    /** Ends the thread. No other starts before `begin`. */
    async end() {
      isEnded = true
      await thread?.close()
    },

    begin() {
      isEnded = false
    },

    async close() {
      isClosed = true
      await running
      await thread?.close()
    },
  }
}

const checkIntervalMs = 50

/** The pause before another attempt to scrub. */
const scrubAgainMs = 1_000

const minWaitMs = 100
const maxWaitMs = 800
const pauses = 9

/** Writes wait while a restart waits for readers. Each failure doubles the wait, which takes at most a tenth of the time. */
const restartBackoff = () => {
  let waitMs = minWaitMs
  let notBeforeMs = 0
  return {
    async attempt(work: (waitMs: number) => Promise<boolean>) {
      const startedAtMs = performance.now()
      if (startedAtMs < notBeforeMs) return false
      const isDone = await work(waitMs)
      waitMs = isDone ? minWaitMs : Math.min(waitMs * 2, maxWaitMs)
      notBeforeMs = performance.now() + pauses * (performance.now() - startedAtMs)
      return isDone
    },
  }
}
