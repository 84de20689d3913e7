import type { DestinationStream, Logger } from 'pino'
import { rootCauseOf } from '#core/cause.ts'
import type { Clock } from '#core/clock.ts'
import type { ProblemKind } from '#core/problem.ts'
import type { Exchange } from './exchange.ts'

/** Logs requests and failures, but never a body, a credential or a header that contains one. */
export interface RequestLog {
  answer(exchange: Exchange, status: number, ms: number): void
  /** Logs a request that the parser refused: its method and route are unknown. */
  parserRefusal(track: string, status: number): void
  /** Logs the same storage failure at most once a second, because every request meets it, and if a disk is full, the log may be on it. */
  failure(track: string, cause: unknown, kind?: ProblemKind): void
}

/**
 * Composes the line of each request by hand and writes it straight to the stream of log lines. The fields are few and hardly
 * any needs escaping, while building and serialising an object takes a fifth of the time of a small answer.
 */
export const requestLog = (logger: Logger, lines: DestinationStream, clock: Clock): RequestLog => {
  const isNewThisSecond = oncePerSecond(clock)
  return {
    answer(exchange, status, ms) {
      const { track, method, routePattern, isProbe, principal, triedSignId, changedPath, address } = exchange
      const level = isProbe && status === 200 ? 'debug' : 'info'
      if (!logger.isLevelEnabled(level)) return
      const route = routePattern === undefined ? pathFields(exchange, status) : `,"route":"${routePattern}"`
      const principalField =
        principal === undefined || principal.kind === 'anyone' ? '' : field('principal', principal.name)
      const recordField =
        changedPath === undefined ? '' : field('record', changedPath.slice(0, maxPathLength))
      const isSuspect = isSuspicious(status)
      const triedField =
        triedSignId !== undefined && isSuspect && principal === undefined
          ? field('tried', safeForTerminals(triedSignId))
          : ''
      const isTraced = isSuspect || changedPath !== undefined
      const addressField = address !== undefined && isTraced ? field('address', address) : ''
      lines.write(
        `{"level":"${level}","time":"${isoNow()}","track":"${track}","method":"${method}"${route},"status":${status},"ms":${ms.toFixed(3)}${recordField}${principalField}${triedField}${addressField}}\n`,
      )
    },
    parserRefusal: (track, status) => logger.info({ track, status }),
    failure(track, cause, kind) {
      if (kind !== 'storageUnavailable' || isNewThisSecond(rootCauseOf(cause)))
        logger.error({ track, err: cause })
    },
  }
}

/** Without a route, the line shows the path without the query and, on 403, the host, which may be the reason. */
const pathFields = ({ target, incoming }: Exchange, status: number) => {
  if (status !== 403 && status !== 404) return ''
  const path = field('path', target.path.slice(0, maxPathLength))
  const host = target.authority ?? incoming.headers.host
  return status === 403 && host !== undefined ? path + field('host', host.slice(0, maxPathLength)) : path
}

const maxPathLength = 200

/** Makes a name that a stranger chose safe to show in a terminal. */
const safeForTerminals = (name: string) =>
  [...name]
    .slice(0, maxNameLength)
    .join('')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')

const maxNameLength = 64

const field = (name: string, text: string) => `,"${name}":${JSON.stringify(text)}`

/** Addresses are logged only of refused callers and of changes, because only those may have to be traced. */
const isSuspicious = (status: number) => status === 401 || status === 403 || status === 429

let lastMs = 0
let lastIso = ''

/** Cached, because many lines share a millisecond. */
const isoNow = () => {
  const now = Date.now()
  if (now !== lastMs) {
    lastMs = now
    lastIso = new Date(now).toISOString()
  }
  return lastIso
}

/** Returns a function that tells whether its argument occurs for the first time in this second. */
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
