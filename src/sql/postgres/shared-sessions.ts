import { storageUnavailable } from '#core/problem.ts'
import type { Make } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import { slots } from '#sql/slots.ts'
import type { Limits } from './limits.ts'
import type { Session } from './session.ts'

interface SharedSessionsParts {
  readonly limits: Limits
  readonly open: () => Promise<Session>
  /** Called when one of them has stopped answering. */
  readonly fellSilent: () => void
}

/**
 * Connections that all short reads share (decision 0032). A statement is sent behind earlier ones (pipelined), together with
 * those of the same turn, and nobody waits for a free connection. One statement at a time took half as long again.
 */
export const sharedSessions = ({ limits, open, fellSilent }: SharedSessionsParts) => {
  const { maxWaiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('too many reads are under way'))
  const places = slots({ places: limits.reads, maxWaiting, waitMs, refusal })
  const opened: Shared[] = Array.from({ length: limits.sharedSessions }, () => ({
    session: undefined,
    opening: undefined,
  }))
  let turn = 0
  let closed = false
  let nextCheck: NodeJS.Timeout | undefined

  const connect = (shared: Shared): Promise<Session> => {
    shared.opening ??= open()
      .then((session) => {
        shared.session = session
        session.lost.catch(() => leave(shared, session))
        return session
      })
      .finally(() => {
        shared.opening = undefined
      })
    return shared.opening
  }

  /** Reads of one turn are sent on the same connection. */
  const next = (): Session | Promise<Session> => {
    if (!opened[turn]?.session?.isGathering()) turn = (turn + 1) % opened.length
    const shared = opened[turn]
    if (!shared || closed) throw storageUnavailable(new Error('the database is closed'))
    return shared.session ?? connect(shared)
  }

  /** Gives up a connection that is lost, or silent for so long that it may be dead. Later reads open another. */
  const leave = (shared: Shared, session: Session) => {
    if (shared.session === session) shared.session = undefined
    void session.end()
  }

  const endSilent = () => {
    nextCheck = undefined
    for (const shared of opened) {
      const { session } = shared
      if (!session || session.silentMs() < limits.silentMs) continue
      leave(shared, session)
      fellSilent()
    }
    if (places.taken() > 0) watch(limits.silenceCheckMs)
  }
  const watch = (ms: number) => {
    nextCheck ??= setTimeout(endSilent, ms).unref()
  }

  const readShared = async <T>(query: Query, make: Make<T>): Promise<readonly T[]> => {
    try {
      const shared = next()
      const session = shared instanceof Promise ? await shared : shared
      watch(limits.silentMs)
      return (await session.read(query, make)).rows
    } finally {
      places.release()
    }
  }

  return {
    places,

    ask: <T>(query: Query, make: Make<T>): Promise<readonly T[]> =>
      places.takeNow() ? readShared(query, make) : places.take().then(() => readShared(query, make)),

    async close() {
      closed = true
      clearTimeout(nextCheck)
      await Promise.all(
        opened.map(async ({ session, opening }) =>
          (session ?? (await opening?.catch(() => undefined)))?.end(),
        ),
      )
    },
  }
}

interface Shared {
  session: Session | undefined
  opening: Promise<Session> | undefined
}
