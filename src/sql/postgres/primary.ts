import { storageUnavailable } from '#core/problem.ts'
import { codeOf, formerPrimary, isOutOfConnections } from './errors.ts'
import type { Limits } from './limits.ts'
import { type OnNotification, openSession, type Session, type Timeline } from './session.ts'
import { type Host, hostsOf } from './wire/url.ts'

/**
 * Opens connections to the primary among the hosts of a URL. If several servers claim to be primary, the one on the highest
 * timeline counts: a former primary that came back lacks the writes acknowledged since (decision 0043).
 */
export const primaryConnector = (url: string, limits: Limits) => {
  const hosts = hostsOf(url)
  const needsTimeline = hosts.length > 1
  const open = (host: Host, onNotification?: OnNotification) =>
    openSession({ url, host, limits, onNotification, needsTimeline, isPooled })
  const openSessions = new Set<Session>()
  let primaryIndex = 0
  let isPooled = false
  let newestTimeline: Timeline | undefined

  /** Remembers the newest timeline, and drops connections to servers on an older one. */
  const adoptTimeline = ({ timeline }: Session, index: number) => {
    if (!timeline || (newestTimeline && !isNewer(timeline, newestTimeline))) return
    primaryIndex = index
    newestTimeline = timeline
    for (const other of openSessions) if (isNewer(newestTimeline, other.timeline)) other.drop()
  }

  /** Reads the timelines of all servers except the one in use, concurrently. */
  const askOtherServers = async () => {
    const asking = hosts.map(async (host, index) => {
      if (newestTimeline && index === primaryIndex) return
      const session = await open(host)
      adoptTimeline(session, index)
      await session.end()
    })
    await Promise.allSettled(asking)
  }

  const timer = needsTimeline
    ? setInterval(() => void askOtherServers(), limits.heartbeatMs).unref()
    : undefined

  const openAt = async (index: number, host: Host, onNotification?: OnNotification) => {
    const session = await open(host, onNotification)
    adoptTimeline(session, index)
    if (isNewer(newestTimeline, session.timeline)) {
      session.drop()
      throw storageUnavailable(new FormerPrimary(host, session.timeline, newestTimeline))
    }
    primaryIndex = index
    newestTimeline = session.timeline
    isPooled = session.isPooled
    openSessions.add(session)
    session.whenLost(() => openSessions.delete(session))
    return session
  }

  return {
    /** Tries the last known primary first. */
    async open(onNotification?: OnNotification): Promise<Session> {
      if (needsTimeline && !newestTimeline) await askOtherServers()
      let failure: unknown
      for (let count = 0; count < hosts.length; count++) {
        const index = (primaryIndex + count) % hosts.length
        const host = hosts[index]
        try {
          if (host) return await openAt(index, host, onNotification)
        } catch (error) {
          if (!isSpecific(failure)) failure = error
        }
      }
      throw failure
    },

    close: () => clearInterval(timer),
  }
}

/** True if both timelines are of the same database system, and the first is newer. */
const isNewer = (one: Timeline | undefined, other: Timeline | undefined) =>
  one !== undefined && one.system === other?.system && one.id > other.id

/** True if the error tells the user more than that a host is a standby or unreachable. */
const isSpecific = (error: unknown) => isOutOfConnections(error) || codeOf(error) === formerPrimary

class FormerPrimary extends Error {
  readonly code = formerPrimary

  constructor({ host, port }: Host, own: Timeline | undefined, newest: Timeline | undefined) {
    const [older, newer] = [own, newest].map((timeline) => Number.parseInt(timeline?.id ?? '', 16))
    super(
      `${host}:${port} is a former primary: it is on timeline ${older}, but another server was on ${newer}`,
    )
  }
}
