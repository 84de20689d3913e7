import { storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'
import { slots } from '#sql/slots.ts'
import type { Limits } from './limits.ts'
import type { Lease, Pool } from './pool.ts'
import type { Session } from './session.ts'

/**
 * Lets writes in. While a commit has no answer, because a standby or the disk has stalled, all other writes are refused at
 * once: each would take a session here and a backend of the server, which keeps waiting even after its client has gone.
 */
export const gate = (sessions: Pool, observer: Observer, limits: Limits) => {
  const { waiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('every connection for writes is in use'))
  const places = slots({ places: limits.writes, waiting, waitMs, refusal })
  observer.poolOpened?.('writes', places)
  const late = new Set<Session>()
  let looking = false

  /** If the server is not working on a commit, then the commit or its answer was lost on the way. */
  const look = async () => {
    if (looking) return
    looking = true
    while (late.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, limits.lookMs).unref())
      const pids = await workingPids(sessions, limits.lookMs).catch(() => undefined)
      if (pids) drop([...late].filter(({ pid }) => !pids.has(pid)))
    }
    looking = false
  }

  const drop = (lost: readonly Session[]) => {
    if (lost.length > 0) sessions.endIdle()
    for (const session of lost) session.drop()
  }

  const leave = ({ session, giveBack }: Lease) => {
    const done = () => {
      late.delete(session)
      giveBack()
      places.give()
    }
    const answer = session.late()
    if (!answer) return done()
    late.add(session)
    void answer.then(done)
    void look()
  }

  return {
    async pass<T>(work: (session: Session) => Promise<T>): Promise<T> {
      if (late.size > 0) throw storageUnavailable(new Error('commits are not answered'))
      await places.take()
      const lease = await sessions.take().catch((error) => {
        places.give()
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
 * Backends that are at work: not waiting for our next message. Asked on a new connection: the others may be as dead as
 * the one that the commit went out on.
 */
const workingPids = async (sessions: Pool, limitMs: number) => {
  const session = await sessions.open()
  try {
    const text = `SELECT pid FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND wait_event IS DISTINCT FROM 'ClientRead'`
    return new Set((await session.say(text, limitMs)).map(({ pid }) => Number(pid)))
  } finally {
    void session.end().catch(() => undefined)
  }
}
