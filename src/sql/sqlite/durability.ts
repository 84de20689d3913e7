import { setTimeout as sleep } from 'node:timers/promises'
import { storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'
import { retryWhileBusy } from './busy-retry.ts'
import type { Limits } from './limits.ts'
import type { Snapshot } from './snapshot.ts'
import type { Wal } from './wal.ts'

interface DurabilityOptions {
  /** Undefined for a temporary database. */
  readonly wal: Wal | undefined
  readonly durableSnapshot: Snapshot
  /** Reopens the database without the commit that did not become durable. */
  readonly reopen: () => Promise<void>
  readonly limits: Limits
  readonly observer: Observer
}

/**
 * Makes commits durable, one after another. A failed sync is never repeated, because the operating system may report the second
 * sync as successful although the pages are on no disk. Instead, writes are refused until the database has been reopened
 * without the commit.
 */
export const durability = ({ wal, durableSnapshot, reopen, limits, observer }: DurabilityOptions) => {
  let syncing: Promise<void> | undefined
  let failure: Error | undefined
  let isClosed = false

  const requireWorking = () => {
    if (failure) throw storageUnavailable(failure)
  }

  const recover = async () => {
    while (failure && !isClosed) {
      try {
        await reopen()
        failure = undefined
        observer.taskEnded?.('reopen')
      } catch (error) {
        observer.taskEnded?.('reopen', error)
        await sleep(limits.reopenMs, undefined, { ref: false })
      }
    }
  }

  return {
    /** Throws after a failed sync, until the database has been reopened. */
    requireWorking,

    /** Commits and syncs. On a fast disk, syncs on this thread, because passing the work to another thread takes longer. */
    async commit(commit: () => void) {
      if (wal) await retryWhileBusy(limits.busyMs, durableSnapshot.hold)
      commit()
      if (!wal?.hasUnsyncedFrames()) return
      syncing = wal.sync(limits.fastSyncMs)
      try {
        await syncing
      } catch (error) {
        failure = syncError(error)
        void recover()
        requireWorking()
      } finally {
        syncing = undefined
      }
    },

    /** Waits until all commits are durable. For results of reader threads, which may already see the commit that is being synced. */
    async waitForSync() {
      await syncing?.catch(() => undefined)
      requireWorking()
    },

    hasFailed: () => failure !== undefined,

    /** Stops reopening the database. */
    close() {
      isClosed = true
    },
  }
}

const ioError = 1034
const diskFull = 13

const syncError = (cause: unknown) => {
  const isFull =
    cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')
  return Object.assign(new Error('the disk did not take a commit', { cause }), {
    errcode: isFull ? diskFull : ioError,
  })
}
