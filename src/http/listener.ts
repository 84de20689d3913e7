import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import { departure } from '#core/departure.ts'
import { brokenOff, type Kind, Problem } from '#core/problem.ts'
import type { Answer } from './answer.ts'
import type { Api, Responder } from './api.ts'
import { isBroken } from './breaking.ts'
import { boundConnections, type ConnectionBounds } from './connections.ts'
import { asProblem, statusOf } from './errors.ts'
import { type Exchange, timesGiven } from './exchange.ts'
import { expectationOf } from './expectation.ts'
import { allMethods, pairs } from './headers.ts'
import { cutIdle } from './idle.ts'
import { isLeaving } from './leaving.ts'
import { headersLimitBytes, secureLimits, serverLimits, targetLimitBytes } from './limits.ts'
import type { RequestLog } from './log.ts'
import { createServer } from './node-http.ts'
import { requireHost } from './origin.ts'
import { pace } from './pace.ts'
import { answerParserErrors } from './parser-errors.ts'
import { isBehind, isFollowed, itsTurn } from './pipelining.ts'
import { type RefusalRules, refusal } from './refusal.ts'
import { letGo, makeReady, type Rest } from './send.ts'
import { parseTarget, type Target } from './target.ts'
import { trackOf } from './track.ts'
import { leavesTooMuch, takeOff } from './unwanted.ts'

/** What answers below a prefix, and what every answer there carries. */
export interface Mount extends Api {
  readonly prefix: string
  readonly headers: readonly string[]
}

export interface ListenerParts {
  readonly mounts: readonly Mount[]
  /** Answers whatever lies below no mount. */
  readonly otherwise: Responder
  /** Another object where they have changed. */
  readonly rules: () => RefusalRules
  readonly log: RequestLog
  /** The address that a request comes from, for the line of one that is refused. */
  readonly addressOf: (incoming: IncomingMessage) => string
  /** Whether callers are asked to go: they may come back to another instance. */
  readonly isDraining: () => boolean
  readonly observe?: (exchange: Exchange, status: number, ms: number) => void
  /** Not given where somebody before us ends TLS, or nobody does. */
  readonly tls?: SecureContextOptions | undefined
  readonly bounds?: ConnectionBounds
  /** Where they are not those of every server. */
  readonly limits?: Partial<typeof serverLimits & typeof secureLimits>
}

/** A server whose every answer is ours: those of the routes, and those that refuse before any route is known. */
export const listener = (parts: ListenerParts): Server => {
  const { tls, limits } = parts
  const { keepAliveTimeout, ...others } = { ...serverLimits, ...limits }
  const options = { ...others, keepAliveTimeout: 0, optimizeEmptyRequests: true }
  const server = tls ? createSecureServer({ ...secureLimits, ...options, ...tls }) : createServer(options)
  // Who has said all it had to say may still listen (decision 0038).
  Object.assign(server, { httpAllowHalfOpen: true })
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
  if (parts.bounds) boundConnections(server, parts.bounds)
  return server
}

/** What an unknown method is answered where the target is a place; elsewhere the target is refused as ever. */
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
  awaitsContinue,
  method: incoming.method ?? '',
  track: trackOf(incoming.headers),
  startedAtMs: performance.now(),
  target: nowhere,
  suffix: undefined,
  place: undefined,
  principal: undefined,
  address: undefined,
  isProbe: false,
  extraHeaders: none,
})

const answer = async (parts: ListenerParts, exchange: Exchange) => {
  let outcome: Answer | Problem
  try {
    if (isBehind(exchange)) await itsTurn(exchange)
    if (isLeaving(exchange.incoming.socket)) throw brokenOff()
    outcome = await respond(parts, exchange)
  } catch (error) {
    outcome = asProblem(error)
    if (outcome.kind === 'overloaded') await pace()
  }
  finish(parts, exchange, outcome)
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

/** What the server as a whole can do (RFC 9110, 9.3.7). */
const serverOptions: Answer = { status: 204, headers: ['Allow', allMethods] }

const requireWithinLimits = ({ url = '', rawHeaders }: IncomingMessage) => {
  if (url.length > targetLimitBytes) throw new Problem('targetTooLong')
  let sizeBytes = 0
  for (const text of rawHeaders) sizeBytes += text.length
  if (sizeBytes > headersLimitBytes) throw new Problem('headersTooLarge')
}

const mountOf = ({ mounts }: ListenerParts, path: string) =>
  mounts.find(({ prefix }) => path.startsWith(prefix) && path[prefix.length] === '/')

/** HTTP/1.1 asks for exactly one Host (RFC 9112, 3.2); what names no version, or another, is neither 1.1 nor 1.0. */
const requireOneHost = (incoming: IncomingMessage) => {
  const { headers, httpVersionMajor, httpVersionMinor } = incoming
  if (httpVersionMajor !== 1) throw new Problem('httpSyntax')
  const hosts = timesGiven(incoming, 'host')
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) throw new Problem('httpSyntax')
  if (headers.host !== undefined) requireHost(headers.host)
}

/**
 * Any coding but chunks, or beside them, is one that we would not take off, and somebody before us might; HTTP/1.0 knows
 * none (RFC 9112, 6.1 and 6.3).
 */
const requirePlainFraming = ({ headers, httpVersionMinor }: IncomingMessage) => {
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersionMinor === 0))
    throw new Problem('httpSyntax')
}

/** Where what we read is no HTTP, so may be what we took for its end; and a body that is too long has none. */
const lastKinds: ReadonlySet<Kind> = new Set<Kind>(['httpSyntax', 'bodyTooLarge', 'requestTimeout'])

/**
 * Behind a request that asks for another protocol the parser stands still and loses what comes; who waits for a word
 * that was never said may send its body or not; who has closed its half sends nothing more, nor does who sends no HTTP.
 */
const isLastByItself = ({ incoming, awaitsContinue }: Exchange) =>
  isBroken(incoming) ||
  incoming.headers.upgrade !== undefined ||
  awaitsContinue ||
  (incoming.socket.readableEnded && !isFollowed(incoming.socket))

const finish = (parts: ListenerParts, exchange: Exchange, outcome: Answer | Problem) => {
  let status = statusOf.system
  let send: Rest
  try {
    const answer = outcome instanceof Problem ? refuse(parts, exchange, outcome) : outcome
    status = answer.status
    const isLast = outcome instanceof Problem && lastKinds.has(outcome.kind)
    send = prepare(exchange, answer, isLast || parts.isDraining())
  } catch (error) {
    fail(parts, exchange, error)
    return end(parts, exchange, status)
  }
  departure(() => depart(parts, exchange, { status, send }))
}

const prepare = (exchange: Exchange, answer: Answer, isLast: boolean): Rest => {
  const { incoming, outgoing } = exchange
  if (outgoing.headersSent || outgoing.destroyed) return () => letGo(answer)
  if (isLast || leavesTooMuch(incoming) || isLastByItself(exchange)) outgoing.shouldKeepAlive = false
  if (!incoming.complete) takeOff(exchange)
  return makeReady(exchange, answer)
}

interface Prepared {
  readonly status: number
  readonly send: Rest
}

const depart = (parts: ListenerParts, exchange: Exchange, { status, send }: Prepared) => {
  let sent: ReturnType<Rest>
  try {
    sent = send()
  } catch (error) {
    fail(parts, exchange, error)
  }
  if (!sent) return end(parts, exchange, status)
  void sent.catch((error) => fail(parts, exchange, error)).then(() => end(parts, exchange, status))
}

const fail = ({ log }: ListenerParts, { track, outgoing }: Exchange, error: unknown) => {
  log.failed(track, error)
  outgoing.destroy()
}

/** Tells of a request that is over. */
const end = ({ log, observe }: ListenerParts, exchange: Exchange, status: number) => {
  const ms = performance.now() - exchange.startedAtMs
  log.answered(exchange, status, ms)
  observe?.(exchange, status, ms)
}

const refuse = (parts: ListenerParts, exchange: Exchange, problem: Problem): Answer => {
  const { rules, log } = parts
  const { incoming, track, target, suffix } = exchange
  if (exchange.extraHeaders === none) exchange.extraHeaders = headersAt(parts, incoming.url ?? '')
  exchange.address ??= parts.addressOf(incoming)
  if (problem.cause !== undefined) log.failed(track, problem.cause)
  const { accept, 'accept-language': acceptLanguage, origin } = incoming.headers
  return refusal(problem, { track, path: target.path, suffix, accept, acceptLanguage, origin }, rules())
}

/** The fields of the mount of a target that was refused before it was read. */
const headersAt = (parts: ListenerParts, url: string) =>
  mountOf(parts, url.replace(/^https?:\/\/[^/?#]*/i, ''))?.headers ?? none
