import { storageUnavailable } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Observer } from '#sql/engine.ts'
import type { Limits } from './limits.ts'
import type { Lease, Pool } from './pool.ts'
import type { Session } from './session.ts'

/**
 * Admits writes. While a COMMIT has no answer because a standby or the disk stalls, it refuses all other writes at once.
 * Each would occupy a session here and a backend of the server, which keeps waiting even after its client has gone.
 */
export const gate = (sessions: Pool, observer: Observer, limits: Limits) => {
  const { maxWaiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('every connection for writes is in use'))
  const places = slots({ places: limits.writes, maxWaiting, waitMs, refusal })
  observer.poolOpened?.('writes', places)
  const late = new Set<Session>()
  let isChecking = false

  /** Drops sessions if the server is not working on their COMMIT: the network lost the COMMIT or its answer. */
  const dropLost = async () => {
    if (isChecking) return
    isChecking = true
    while (late.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, limits.lateCheckMs).unref())
      const pids = await workingPids(sessions, limits.lateCheckMs).catch(() => undefined)
      if (pids) drop([...late].filter(({ pid }) => !pids.has(pid)))
    }
    isChecking = false
  }

  const drop = (lost: readonly Session[]) => {
    if (lost.length > 0) sessions.endIdle()
    for (const session of lost) session.drop()
  }

  const leave = ({ session, release }: Lease) => {
    const done = () => {
      late.delete(session)
      release()
      places.release()
    }
    const answer = session.late()
    if (!answer) return done()
    late.add(session)
    void answer.then(done)
    void dropLost()
  }

  return {
    async pass<T>(work: (session: Session) => Promise<T>): Promise<T> {
      if (late.size > 0) throw storageUnavailable(new Error('the server does not answer commits'))
      await places.take()
      const lease = await sessions.take().catch((error) => {
        places.release()
        throw error
      })
      try {
        return await work(lease.session)
      } finally {
        leave(lease)
      }
    },

    close() {
      for (const session of late) session.drop()
    },
  }
}

/**
 * The backends that are working instead of waiting for a message. Asks on a new connection, because the others may be as dead
 * as the one that sent the COMMIT.
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
