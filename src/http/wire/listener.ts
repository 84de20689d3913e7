import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import { httpSyntax, Problem } from '#core/problem.ts'
import { sendBatched } from '#core/response-batch.ts'
import type { Answer, AnswerProblem, Responder } from './answer.ts'
import { closeIdleConnections, discardRest, isClosing, mustCloseAfter, waitForTurn } from './connection.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import { asProblem, statusOf } from './errors.ts'
import { type Exchange, refuseRepeatedField } from './exchange.ts'
import { expectationOf } from './expectation.ts'
import { allMethods, fieldPairs } from './headers.ts'
import { headersLimitBytes, secureLimits, serverLimits, targetLimitBytes } from './limits.ts'
import type { RequestLog } from './log.ts'
import { createServer } from './node-http.ts'
import { isHost } from './origin.ts'
import { answerParserErrors } from './parser-errors.ts'
import { releaseBody, send } from './send.ts'
import { parseTarget, suffixOf, type Target } from './target.ts'
import { trackOf } from './track.ts'
import { answerHalfClosed } from './undocumented.ts'

/** The responder below a path prefix, and the fields that all its answers carry. */
export interface Mount {
  readonly prefix: string
  readonly respond: Responder
  /** The value of Allow at this path. Throws `notFound` if nothing is there. */
  readonly allowHeaderAt: (path: string) => string
  readonly headers: readonly string[]
}

export interface ListenerOptions {
  readonly mounts: readonly Mount[]
  /** Answers requests outside all mounts. */
  readonly fallback: Responder
  readonly answerProblem: AnswerProblem
  readonly log: RequestLog
  /** The address that a request comes from, for the log line of a refusal. */
  readonly addressOf: (incoming: IncomingMessage) => string
  /** True if answers ask callers to disconnect, so that they connect to another instance next. */
  readonly isDraining: () => boolean
  readonly observe?: (exchange: Exchange, status: number, ms: number) => void
  /** Absent if there is no TLS, or a proxy terminates it. */
  readonly tls?: SecureContextOptions | undefined
  readonly connectionLimits?: ConnectionLimits
  /** Overrides of the limits that every server has. */
  readonly limits?: Partial<typeof serverLimits & typeof secureLimits>
}

/** Makes a server that never lets node:http write an answer of its own, not even to a request that cannot be parsed. */
export const listener = (options: ListenerOptions): Server => {
  const { tls, limits } = options
  const { keepAliveTimeout, ...others } = { ...serverLimits, ...limits }
  const serverOptions = { ...others, keepAliveTimeout: 0, optimizeEmptyRequests: true }
  const server = tls
    ? createSecureServer({ ...secureLimits, ...serverOptions, ...tls })
    : createServer(serverOptions)
  answerHalfClosed(server)
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.allowHalfOpen = true
  })
  const answerExpectation = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const awaitsContinue = expectationOf(incoming.headers.expect) !== 'nothing'
    void handleRequest(options, newExchange(incoming, outgoing, awaitsContinue))
  }
  server.on(
    'request',
    (incoming, outgoing) => void handleRequest(options, newExchange(incoming, outgoing, false)),
  )
  server.on('checkContinue', answerExpectation)
  server.on('checkExpectation', answerExpectation)
  answerParserErrors(server, { ...options, methodRefusal: (target) => methodRefusal(options, target) })
  closeIdleConnections(server, keepAliveTimeout)
  if (options.connectionLimits) limitConnections(server, options.connectionLimits)
  return server
}

/** Refuses an unknown method: with 405 if the target exists, otherwise like any request for that target. */
const methodRefusal = (options: ListenerOptions, url: string): Problem => {
  const { path } = parseTarget(url)
  const mount = mountOf(options, path)
  if (!mount) return new Problem('forbidden')
  const headers = Object.fromEntries(fieldPairs(mount.headers))
  return new Problem('methodNotAllowed', { headers: { ...headers, Allow: mount.allowHeaderAt(path) } })
}

const noFields: readonly string[] = []

const noTarget: Target = { path: '', query: '', authority: undefined }

const newExchange = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  awaitsContinue: boolean,
): Exchange => ({
  incoming,
  outgoing,
  head: incoming,
  awaitsContinue,
  method: incoming.method ?? '',
  track: trackOf(incoming.headers),
  startedAtMs: performance.now(),
  target: noTarget,
  suffix: undefined,
  routePattern: undefined,
  principal: undefined,
  triedSignId: undefined,
  changedPath: undefined,
  address: undefined,
  isProbe: false,
  extraHeaders: noFields,
})

const handleRequest = async (options: ListenerOptions, exchange: Exchange) => {
  if (isClosing(exchange.incoming.socket)) return
  let outcome: Answer | Problem
  try {
    const turn = waitForTurn(exchange)
    if (turn) await turn
    outcome = await dispatch(options, exchange)
  } catch (error) {
    outcome = asProblem(error)
  }
  sendBatched(() => sendOutcome(options, exchange, outcome))
}

const dispatch = (options: ListenerOptions, exchange: Exchange) => {
  const { incoming, method } = exchange
  requireWithinLimits(incoming)
  requireOneHost(incoming)
  requirePlainFraming(incoming)
  if (method === 'OPTIONS' && incoming.url === '*') return serverOptionsAnswer
  exchange.target = parseTarget(incoming.url ?? '')
  const mount = mountOf(options, exchange.target.path)
  if (!mount) return options.fallback(exchange)
  exchange.extraHeaders = mount.headers
  return mount.respond(exchange)
}

/** The answer to `OPTIONS *`, which asks about the server as a whole (RFC 9110, 9.3.7). */
const serverOptionsAnswer: Answer = { status: 204, headers: ['Allow', allMethods] }

const requireWithinLimits = ({ url = '', rawHeaders }: IncomingMessage) => {
  if (url.length > targetLimitBytes) throw new Problem('targetTooLong')
  let sizeBytes = 0
  for (const text of rawHeaders) sizeBytes += text.length
  if (sizeBytes > headersLimitBytes) throw new Problem('headersTooLarge')
}

const mountOf = ({ mounts }: ListenerOptions, path: string) =>
  mounts.find(({ prefix }) => path.startsWith(prefix) && path[prefix.length] === '/')

/** HTTP/1.1 requires exactly one Host (RFC 9112, 3.2). A request without a version, or with another major version, is refused. */
const requireOneHost = (incoming: IncomingMessage) => {
  const { headers, httpVersionMajor, httpVersionMinor } = incoming
  if (httpVersionMajor !== 1) throw new Problem('httpSyntax')
  refuseRepeatedField(incoming, 'Host')
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

const sendOutcome = (options: ListenerOptions, exchange: Exchange, outcome: Answer | Problem) => {
  const { incoming, outgoing } = exchange
  const problem = outcome instanceof Problem ? outcome : undefined
  let status = statusOf.system
  let sent: Promise<void> | undefined
  try {
    const answer = outcome instanceof Problem ? refusalOf(options, exchange, outcome) : outcome
    status = answer.status
    if (outgoing.headersSent || outgoing.destroyed) sent = releaseBody(answer)
    else {
      const closesConnection = options.isDraining() || mustCloseAfter(exchange, problem)
      if (!closesConnection && !incoming.complete) discardRest(exchange)
      sent = send(exchange, answer, closesConnection)
    }
  } catch (error) {
    abort(options, exchange, error)
  }
  if (!sent) return logAnswer(options, exchange, status)
  void sent.catch((error) => abort(options, exchange, error)).then(() => logAnswer(options, exchange, status))
}

/** Cuts an answer short. Logs only failures of the service, not, for example, that the caller of a stream lost its rights. */
const abort = ({ log }: ListenerOptions, { track, outgoing }: Exchange, error: unknown) => {
  if (statusOf[asProblem(error).kind] >= statusOf.system) log.failure(track, error)
  outgoing.destroy()
}

const logAnswer = ({ log, observe }: ListenerOptions, exchange: Exchange, status: number) => {
  const ms = performance.now() - exchange.startedAtMs
  log.answer(exchange, status, ms)
  observe?.(exchange, status, ms)
}

const refusalOf = (options: ListenerOptions, exchange: Exchange, problem: Problem): Answer => {
  const { incoming, track } = exchange
  const { path } = exchange.target
  if (exchange.extraHeaders === noFields) exchange.extraHeaders = headersAt(options, incoming.url ?? '')
  exchange.address ??= options.addressOf(incoming)
  const { accept, 'accept-language': acceptLanguage, origin } = incoming.headers
  const suffix = suffixOf(path)
  return options.answerProblem(problem, { track, path, suffix, accept, acceptLanguage, origin })
}

/** The fields of the mount at a target that was refused before it was parsed. */
const headersAt = (options: ListenerOptions, url: string) =>
  mountOf(options, url.replace(/^https?:\/\/[^/?#]*/i, ''))?.headers ?? noFields
