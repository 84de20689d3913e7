import { storageUnavailable } from '#core/problem.ts'
import { codeOf, formerPrimary, isOutOfConnections } from './errors.ts'
import type { Limits } from './limits.ts'
import { type History, type Notified, openSession, type Session } from './session.ts'
import { type Host, hostsOf } from './wire/url.ts'

/**
 * Opens connections to the primary among the hosts of a URL. If several claim to be primary, the one on the highest timeline is:
 * a former primary that came back lacks the later acknowledged writes (decision 0043).
 */
export const primary = (url: string, limits: Limits) => {
  const hosts = hostsOf(url)
  const asksHistory = hosts.length > 1
  const open = (host: Host, notified?: Notified) =>
    openSession({ url, host, limits, notified, asksHistory, isPooled })
  const alive = new Set<Session>()
  let last = 0
  let isPooled = false
  let newest: History | undefined

  /** Remembers the newest history, and drops connections to servers on an older one. */
  const learn = ({ history }: Session, index: number) => {
    if (!history || (newest && !isFormer(history, newest))) return
    last = index
    newest = history
    for (const other of alive) if (isFormer(newest, other.history)) other.drop()
  }

  /** Asks all servers except the one in use, concurrently. */
  const survey = async () => {
    const asked = hosts.map(async (host, index) => {
      if (newest && index === last) return
      const session = await open(host)
      learn(session, index)
      await session.end()
    })
    await Promise.allSettled(asked)
  }

  const timer = asksHistory ? setInterval(() => void survey(), limits.heartbeatMs).unref() : undefined

  const openAt = async (index: number, host: Host, notified?: Notified) => {
    const session = await open(host, notified)
    learn(session, index)
    if (isFormer(newest, session.history)) {
      session.drop()
      throw storageUnavailable(new FormerPrimary(host, session.history, newest))
    }
    last = index
    newest = session.history
    isPooled = session.isPooled
    alive.add(session)
    session.whenLost(() => alive.delete(session))
    return session
  }

  return {
    /** Tries the last known primary first. */
    async open(notified?: Notified): Promise<Session> {
      if (asksHistory && !newest) await survey()
      let failure: unknown
      for (let count = 0; count < hosts.length; count++) {
        const index = (last + count) % hosts.length
        const host = hosts[index]
        try {
          if (host) return await openAt(index, host, notified)
        } catch (error) {
          if (!isSpecific(failure)) failure = error
        }
      }
      throw failure
    },

    close: () => clearInterval(timer),
  }
}

/** Whether a server of the same database system is on an older timeline. */
const isFormer = (newest: History | undefined, history: History | undefined) =>
  newest !== undefined && newest.system === history?.system && history.timeline < newest.timeline

/** Whether an error says more than that a host is a standby or unreachable. */
const isSpecific = (error: unknown) => isOutOfConnections(error) || codeOf(error) === formerPrimary

class FormerPrimary extends Error {
  readonly code = formerPrimary

  constructor({ host, port }: Host, own: History | undefined, newest: History | undefined) {
    const [older, newer] = [own, newest].map((history) => Number.parseInt(history?.timeline ?? '', 16))
    super(
      `${host}:${port} is a former primary: it is on timeline ${older}, but another server was on ${newer}`,
    )
  }
}
