import { storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'
import { slots } from '#sql/slots.ts'
import type { Limits } from './limits.ts'
import type { Lease, Pool } from './pool.ts'
import type { Session } from './session.ts'

/**
 * Lets writes in. While a commit is not answered, as when a standby or the disk stands still, all others are told at once: each
 * would hold a session here and one at the server, which goes on waiting also when nobody hears it any more.
 */
export const gate = (sessions: Pool, observer: Observer, limits: Limits) => {
  const { waiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('every connection for writes is in use'))
  const places = slots({ places: limits.writes, waiting, waitMs, refusal })
  observer.poolOpened?.('writes', places)
  const late = new Set<Session>()
  let looking = false

  /** A commit that the server does not work on was lost on the way, or its answer was. */
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
 * Those that do not wait for us, but for a standby, a disk or a processor. Asked on a connection of its own: the others may be
 * lost like the commit.
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
