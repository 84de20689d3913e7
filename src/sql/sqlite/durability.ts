import { setTimeout as sleep } from 'node:timers/promises'
import { storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'
import type { Limits } from './limits.ts'
import { patiently } from './patience.ts'
import type { Snapshot } from './snapshot.ts'
import type { Wal } from './wal.ts'

interface DurabilityParts {
  /** Undefined for a temporary database. */
  readonly wal: Wal | undefined
  readonly present: Snapshot
  /** Opens the database anew, without what has not become durable. */
  readonly openAnew: () => Promise<void>
  readonly limits: Limits
  readonly observer: Observer
}

/**
 * Makes commits durable, one after the other. A sync that failed is never repeated: what the operating system then reports
 * as written may be on no disk. So nobody can write until the database has been opened anew without that commit.
 */
export const durability = ({ wal, present, openAnew, limits, observer }: DurabilityParts) => {
  let syncing: Promise<void> | undefined
  let failure: Error | undefined
  let isClosed = false

  const check = () => {
    if (failure) throw storageUnavailable(failure)
  }

  const recover = async () => {
    while (failure && !isClosed) {
      try {
        await openAnew()
        failure = undefined
        observer.taskEnded?.('reopen')
      } catch (error) {
        observer.taskEnded?.('reopen', error)
        await sleep(limits.reopenMs, undefined, { ref: false })
      }
    }
  }

  return {
    /** Throws while nothing can be made durable. */
    check,

    /**
     * Commits, and makes it durable. On a fast disk it is synced at once: to hand that to another thread would take longer.
     */
    async commit(commit: () => void) {
      if (wal) await patiently(limits.busyMs, present.hold)
      commit()
      if (!wal?.hasGrown()) return
      syncing = wal.sync(limits.fastSyncMs)
      try {
        await syncing
      } catch (error) {
        failure = notDurable(error)
        void recover()
        check()
      } finally {
        syncing = undefined
      }
    },

    /** Waits until everything committed so far, which a thread may have read, is durable. */
    async settled() {
      await syncing?.catch(() => undefined)
      check()
    },

    hasFailed: () => failure !== undefined,

    /** Ends the attempts to open the database anew. */
    close() {
      isClosed = true
    },
  }
}

const ioError = 1034
const full = 13

const notDurable = (cause: unknown) => {
  const isFull =
    cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')
  return Object.assign(new Error('the disk did not take a commit', { cause }), {
    errcode: isFull ? full : ioError,
  })
}
