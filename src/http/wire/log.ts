import type { DestinationStream, Logger } from 'pino'
import { causeOf } from '#core/cause.ts'
import type { Clock } from '#core/clock.ts'
import type { Kind } from '#core/problem.ts'
import type { Exchange } from './exchange.ts'

/** What the HTTP floor reports to the log: never a body, a credential or a header that contains one. */
export interface RequestLog {
  answered(exchange: Exchange, status: number, ms: number): void
  /** A request that the parser refused: it has no method or place. */
  refused(track: string, status: number): void
  /**
   * The same failure of the storage only once a second: every request meets it, and the log may be on the disk that is full.
   */
  failed(track: string, cause: unknown, kind?: Kind): void
}

/**
 * The line of a request has the same few fields, nearly all of which need no escaping, so it is composed here and written
 * straight to the stream of log lines: building an object and serialising it takes a fifth of the time of a small answer.
 */
export const requestLog = (logger: Logger, lines: DestinationStream, clock: Clock): RequestLog => {
  const isNew = oncePerSecond(clock)
  return {
    answered(exchange, status, ms) {
      const { track, method, place, isProbe, principal, tried, record, address } = exchange
      const level = isProbe && status === 200 ? 'debug' : 'info'
      if (!logger.isLevelEnabled(level)) return
      const route = place === undefined ? pathFields(exchange, status) : `,"route":"${place}"`
      const who =
        principal === undefined || principal.kind === 'anyone' ? '' : field('principal', principal.name)
      const what = record === undefined ? '' : field('record', record.slice(0, maxPathLength))
      const isOut = isSuspicious(status)
      const as =
        tried !== undefined && isOut && principal === undefined ? field('tried', harmless(tried)) : ''
      const isTraced = isOut || record !== undefined
      const from = address !== undefined && isTraced ? field('address', address) : ''
      lines.write(
        `{"level":"${level}","time":"${isoNow()}","track":"${track}","method":"${method}"${route},"status":${status},"ms":${ms.toFixed(3)}${what}${who}${as}${from}}\n`,
      )
    },
    refused: (track, status) => logger.info({ track, status }),
    failed(track, cause, kind) {
      if (kind !== 'storageUnavailable' || isNew(causeOf(cause))) logger.error({ track, err: cause })
    },
  }
}

/** For a request without a route: its path without the query and, if it was forbidden, its host, which may be the reason. */
const pathFields = ({ target, incoming }: Exchange, status: number) => {
  if (status !== 403 && status !== 404) return ''
  const path = field('path', target.path.slice(0, maxPathLength))
  const host = target.authority ?? incoming.headers.host
  return status === 403 && host !== undefined ? path + field('host', host.slice(0, maxPathLength)) : path
}

const maxPathLength = 200

/** A name that a stranger chose, as it may be shown at a terminal. */
const harmless = (name: string) =>
  [...name]
    .slice(0, maxNameLength)
    .join('')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')

const maxNameLength = 64

const field = (name: string, text: string) => `,"${name}":${JSON.stringify(text)}`

/** Callers that were kept out, and whoever changes something, may have to be traced by their address; those of others are not logged. */
const isSuspicious = (status: number) => status === 401 || status === 403 || status === 429

let lastMs = 0
let lastIso = ''

/** Many lines share a millisecond. */
const isoNow = () => {
  const now = Date.now()
  if (now !== lastMs) {
    lastMs = now
    lastIso = new Date(now).toISOString()
  }
  return lastIso
}

/** Whether a text comes for the first time in this second. */
export const oncePerSecond = (clock: Clock) => {
  const seen = new Set<string>()
  let second = 0
  return (text: string): boolean => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) seen.clear()
    second = now
    const isNew = !seen.has(text)
    seen.add(text)
    return isNew
  }
}
