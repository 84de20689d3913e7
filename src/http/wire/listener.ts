import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import { httpSyntax, Problem } from '#core/problem.ts'
import { sendBatched } from '#core/response-batch.ts'
import type { Answer, Refuse, Responder } from './answer.ts'
import { cutIdle, discardRest, isClosing, isLast, waitForTurn } from './connection.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import { asProblem, statusOf } from './errors.ts'
import { type Exchange, requireOnce } from './exchange.ts'
import { expectationOf } from './expectation.ts'
import { allMethods, pairs } from './headers.ts'
import { headersLimitBytes, secureLimits, serverLimits, targetLimitBytes } from './limits.ts'
import type { RequestLog } from './log.ts'
import { createServer } from './node-http.ts'
import { isHost } from './origin.ts'
import { answerParserErrors } from './parser-errors.ts'
import { release, send } from './send.ts'
import { parseTarget, suffixOf, type Target } from './target.ts'
import { trackOf } from './track.ts'
import { answerHalfClosed } from './undocumented.ts'

/** The responder below a path prefix, and the fields that all its answers carry. */
export interface Mount {
  readonly prefix: string
  readonly respond: Responder
  /** The value of Allow at this path. Throws `notFound` if nothing is there. */
  readonly allowAt: (path: string) => string
  readonly headers: readonly string[]
}

export interface ListenerParts {
  readonly mounts: readonly Mount[]
  /** Answers requests outside all mounts. */
  readonly otherwise: Responder
  readonly refusal: Refuse
  readonly log: RequestLog
  /** The address that a request comes from, for the log line of a refusal. */
  readonly addressOf: (incoming: IncomingMessage) => string
  /** Whether answers ask callers to disconnect, so that they come back to another instance. */
  readonly isDraining: () => boolean
  readonly observe?: (exchange: Exchange, status: number, ms: number) => void
  /** Absent if there is no TLS, or a proxy terminates it. */
  readonly tls?: SecureContextOptions | undefined
  readonly bounds?: ConnectionLimits
  /** Overrides of the limits that every server has. */
  readonly limits?: Partial<typeof serverLimits & typeof secureLimits>
}

/** A server that writes every answer itself, even the refusals of requests that reach no route. */
export const listener = (parts: ListenerParts): Server => {
  const { tls, limits } = parts
  const { keepAliveTimeout, ...others } = { ...serverLimits, ...limits }
  const options = { ...others, keepAliveTimeout: 0, optimizeEmptyRequests: true }
  const server = tls ? createSecureServer({ ...secureLimits, ...options, ...tls }) : createServer(options)
  answerHalfClosed(server)
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.allowHalfOpen = true
  })
  const expecting = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const awaitsContinue = expectationOf(incoming.headers.expect) !== 'nothing'
    void answer(parts, open(incoming, outgoing, awaitsContinue))
  }
  server.on('request', (incoming, outgoing) => void answer(parts, open(incoming, outgoing, false)))
  server.on('checkContinue', expecting)
  server.on('checkExpectation', expecting)
  answerParserErrors(server, { ...parts, methodRefusal: (target) => methodRefusal(parts, target) })
  cutIdle(server, keepAliveTimeout)
  if (parts.bounds) limitConnections(server, parts.bounds)
  return server
}

/** Refuses an unknown method: with 405 if the target exists, otherwise like any request for that target. */
const methodRefusal = (parts: ListenerParts, url: string): Problem => {
  const { path } = parseTarget(url)
  const mount = mountOf(parts, path)
  if (!mount) return new Problem('forbidden')
  const headers = Object.fromEntries(pairs(mount.headers))
  return new Problem('methodNotAllowed', { headers: { ...headers, Allow: mount.allowAt(path) } })
}

const none: readonly string[] = []

const nowhere: Target = { path: '', query: '', authority: undefined }

const open = (incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): Exchange => ({
  incoming,
  outgoing,
  head: incoming,
  awaitsContinue,
  method: incoming.method ?? '',
  track: trackOf(incoming.headers),
  startedAtMs: performance.now(),
  target: nowhere,
  suffix: undefined,
  place: undefined,
  principal: undefined,
  tried: undefined,
  record: undefined,
  address: undefined,
  isProbe: false,
  extraHeaders: none,
})

const answer = async (parts: ListenerParts, exchange: Exchange) => {
  if (isClosing(exchange.incoming.socket)) return
  let outcome: Answer | Problem
  try {
    const turn = waitForTurn(exchange)
    if (turn) await turn
    outcome = await respond(parts, exchange)
  } catch (error) {
    outcome = asProblem(error)
  }
  sendBatched(() => sendOutcome(parts, exchange, outcome))
}

const respond = (parts: ListenerParts, exchange: Exchange) => {
  const { incoming, method } = exchange
  requireWithinLimits(incoming)
  requireOneHost(incoming)
  requirePlainFraming(incoming)
  if (method === 'OPTIONS' && incoming.url === '*') return serverOptions
  exchange.target = parseTarget(incoming.url ?? '')
  const mount = mountOf(parts, exchange.target.path)
  if (!mount) return parts.otherwise(exchange)
  exchange.extraHeaders = mount.headers
  return mount.respond(exchange)
}

/** The answer to `OPTIONS *`, which asks about the server as a whole (RFC 9110, 9.3.7). */
const serverOptions: Answer = { status: 204, headers: ['Allow', allMethods] }

const requireWithinLimits = ({ url = '', rawHeaders }: IncomingMessage) => {
  if (url.length > targetLimitBytes) throw new Problem('targetTooLong')
  let sizeBytes = 0
  for (const text of rawHeaders) sizeBytes += text.length
  if (sizeBytes > headersLimitBytes) throw new Problem('headersTooLarge')
}

const mountOf = ({ mounts }: ListenerParts, path: string) =>
  mounts.find(({ prefix }) => path.startsWith(prefix) && path[prefix.length] === '/')

/** HTTP/1.1 requires exactly one Host (RFC 9112, 3.2). A request without a version, or with another major version, is refused. */
const requireOneHost = (incoming: IncomingMessage) => {
  const { headers, httpVersionMajor, httpVersionMinor } = incoming
  if (httpVersionMajor !== 1) throw new Problem('httpSyntax')
  requireOnce(incoming, 'Host')
  if (headers.host === undefined && httpVersionMinor > 0)
    throw httpSyntax({ code: 'Missing', target: 'Host' })
  if (headers.host !== undefined && !isHost(headers.host))
    throw httpSyntax({ code: 'Pattern', target: 'Host' })
}

/**
 * Refuses any transfer coding other than a single `chunked`: we would not decode it, and a proxy in front of us might.
 * HTTP/1.0 has no transfer codings (RFC 9112, 6.1 and 6.3).
 */
const requirePlainFraming = ({ headers, httpVersionMinor }: IncomingMessage) => {
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersionMinor === 0))
    throw new Problem('httpSyntax')
}

const sendOutcome = (parts: ListenerParts, exchange: Exchange, outcome: Answer | Problem) => {
  const { incoming, outgoing } = exchange
  const problem = outcome instanceof Problem ? outcome : undefined
  let status = statusOf.system
  let sent: Promise<void> | undefined
  try {
    const answer = outcome instanceof Problem ? refuse(parts, exchange, outcome) : outcome
    status = answer.status
    if (outgoing.headersSent || outgoing.destroyed) sent = release(answer)
    else {
      const last = parts.isDraining() || isLast(exchange, problem)
      if (!last && !incoming.complete) discardRest(exchange)
      sent = send(exchange, answer, last)
    }
  } catch (error) {
    fail(parts, exchange, error)
  }
  if (!sent) return finish(parts, exchange, status)
  void sent.catch((error) => fail(parts, exchange, error)).then(() => finish(parts, exchange, status))
}

/** Cuts an answer short. If its caller has lost a right, that is no failure of ours, so it is not logged. */
const fail = ({ log }: ListenerParts, { track, outgoing }: Exchange, error: unknown) => {
  if (statusOf[asProblem(error).kind] >= statusOf.system) log.failed(track, error)
  outgoing.destroy()
}

const finish = ({ log, observe }: ListenerParts, exchange: Exchange, status: number) => {
  const ms = performance.now() - exchange.startedAtMs
  log.answered(exchange, status, ms)
  observe?.(exchange, status, ms)
}

const refuse = (parts: ListenerParts, exchange: Exchange, problem: Problem): Answer => {
  const { incoming, track } = exchange
  const { path } = exchange.target
  if (exchange.extraHeaders === none) exchange.extraHeaders = headersAt(parts, incoming.url ?? '')
  exchange.address ??= parts.addressOf(incoming)
  const { accept, 'accept-language': acceptLanguage, origin } = incoming.headers
  const suffix = suffixOf(path)
  return parts.refusal(problem, { track, path, suffix, accept, acceptLanguage, origin })
}

/** The fields of the mount at a target that was refused before it was parsed. */
const headersAt = (parts: ListenerParts, url: string) =>
  mountOf(parts, url.replace(/^https?:\/\/[^/?#]*/i, ''))?.headers ?? none
