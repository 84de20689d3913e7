import { storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Observer } from '#sql/engine.ts'
import type { Limits } from './limits.ts'
import type { Lease, Pool } from './pool.ts'
import type { Session } from './session.ts'

/**
 * Admits writes. While the answer to a COMMIT is late because a standby or the disk stalls, refuses all other writes at once:
 * each would occupy a session here and a backend of the server, which keeps waiting even after its client has gone.
 */
export const writeAdmission = (sessions: Pool, observer: Observer, limits: Limits) => {
  const { maxWaiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('every connection for writes is in use'))
  const writeSlots = slots({ places: limits.writes, maxWaiting, waitMs, refusal })
  observer.poolOpened?.('writes', writeSlots)
  const lateSessions = new Set<Session>()
  let isChecking = false

  /** Drops late sessions whose COMMIT the server is not working on, because the network lost the COMMIT or its answer. */
  const dropLost = async () => {
    if (isChecking) return
    isChecking = true
    while (lateSessions.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, limits.lateCheckMs).unref())
      const pids = await workingPids(sessions, limits.lateCheckMs).catch(() => undefined)
      if (pids) dropAll([...lateSessions].filter(({ pid }) => !pids.has(pid)))
    }
    isChecking = false
  }

  const dropAll = (lost: readonly Session[]) => {
    if (lost.length > 0) sessions.endIdle()
    for (const session of lost) session.drop()
  }

  const releaseLease = ({ session, release }: Lease) => {
    const free = () => {
      lateSessions.delete(session)
      release()
      writeSlots.release()
    }
    const answer = session.lateAnswer()
    if (!answer) return free()
    lateSessions.add(session)
    void answer.then(free)
    void dropLost()
  }

  return {
    async admit<T>(work: (session: Session) => Promise<T>): Promise<T> {
      if (lateSessions.size > 0) throw storageUnavailable(new Error('the server does not answer commits'))
      await writeSlots.take()
      const lease = await sessions.take().catch((error) => {
        writeSlots.release()
        throw error
      })
      try {
        return await work(lease.session)
      } finally {
        releaseLease(lease)
      }
    },

    close() {
      for (const session of lateSessions) session.drop()
    },
  }
}

/**
 * The process ids of the backends that are working, not waiting for a message. Asks on a new connection, because the existing
 * ones may be as dead as the one that sent the COMMIT.
 */
const workingPids = async (sessions: Pool, limitMs: number) => {
  const session = await sessions.openUnpooled()
  try {
    const text = `SELECT pid FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND wait_event IS DISTINCT FROM 'ClientRead'`
    return new Set((await session.exec(text, limitMs)).map(({ pid }) => Number(pid)))
  } finally {
    void session.end().catch(() => undefined)
  }
}
