import { storageUnavailable } from '#core/problem.ts'
import { codeOf, formerPrimary, isOutOfConnections } from './errors.ts'
import type { Limits } from './limits.ts'
import { type Notified, openSession, type Session, type Timeline } from './session.ts'
import { type Host, hostsOf } from './wire/url.ts'

/**
 * Opens connections to the primary among the hosts of a URL. If several claim to be primary, the one on the highest timeline is:
 * a former primary that came back lacks the later acknowledged writes (decision 0043).
 */
export const primaryConnector = (url: string, limits: Limits) => {
  const hosts = hostsOf(url)
  const asksTimeline = hosts.length > 1
  const open = (host: Host, notified?: Notified) =>
    openSession({ url, host, limits, notified, asksTimeline, isPooled })
  const alive = new Set<Session>()
  let last = 0
  let isPooled = false
  let newest: Timeline | undefined

  /** Remembers the newest timeline, and drops connections to servers on an older one. */
  const learn = ({ timeline }: Session, index: number) => {
    if (!timeline || (newest && !isFormer(timeline, newest))) return
    last = index
    newest = timeline
    for (const other of alive) if (isFormer(newest, other.timeline)) other.drop()
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

  const timer = asksTimeline ? setInterval(() => void survey(), limits.heartbeatMs).unref() : undefined

  const openAt = async (index: number, host: Host, notified?: Notified) => {
    const session = await open(host, notified)
    learn(session, index)
    if (isFormer(newest, session.timeline)) {
      session.drop()
      throw storageUnavailable(new FormerPrimary(host, session.timeline, newest))
    }
    last = index
    newest = session.timeline
    isPooled = session.isPooled
    alive.add(session)
    session.whenLost(() => alive.delete(session))
    return session
  }

  return {
    /** Tries the last known primary first. */
    async open(notified?: Notified): Promise<Session> {
      if (asksTimeline && !newest) await survey()
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
const isFormer = (newest: Timeline | undefined, timeline: Timeline | undefined) =>
  newest !== undefined && newest.system === timeline?.system && timeline.id < newest.id

/** Whether an error says more than that a host is a standby or unreachable. */
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
