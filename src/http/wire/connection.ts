import type { IncomingMessage, Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { memoizeByObject } from '#core/once.ts'
import { clientGone, type Problem, type ProblemKind } from '#core/problem.ts'
import { type Exchange, isBroken, markBroken } from './exchange.ts'
import { discardLimitBytes, idleCheckMs, lingerMs, queueLimit, totalQueueLimit } from './limits.ts'

/** The state of one connection: its current request, the waiting ones, and whether it is closing. */
interface Connection {
  readonly socket: Duplex
  current: Exchange | undefined
  readonly queue: WaitingRequest[]
  /** Handles a parser error, after the requests before it have been answered. */
  deferredRefusal: (() => void) | undefined
  /** The last answered request, whose body may still be arriving. */
  unreadRequest: IncomingMessage | undefined
  isClosing: boolean
  answeredAtMs: number | undefined
  /** The bytes that had been read at the last check, and the time of the last check at which there were more than before. */
  readBytes: number
  readAtMs: number
}

interface WaitingRequest {
  readonly exchange: Exchange
  readonly begin: () => void
  readonly refuse: (why: Problem) => void
}

const connectionOf = memoizeByObject(
  (socket: Duplex): Connection => ({
    socket,
    current: undefined,
    queue: [],
    deferredRefusal: undefined,
    unreadRequest: undefined,
    isClosing: false,
    answeredAtMs: undefined,
    readBytes: 0,
    readAtMs: 0,
  }),
)

/** True if a connection is closing. Data that still arrives on it is ignored. */
export const isClosing = (socket: Duplex) => connectionOf(socket).isClosing

/** The number of waiting requests on all connections together. */
let waitingInTotal = 0

/**
 * Returns undefined if the request may begin at once, otherwise a promise that resolves when it may begin. Requests on one
 * connection run one at a time, because each must see the effects of those before it (RFC 9112, 9.3.2). No request begins
 * after an answer that closes the connection (9.6), or on a broken connection.
 */
export const waitForTurn = (exchange: Exchange): Promise<void> | undefined => {
  const { socket } = exchange.incoming
  const connection = connectionOf(socket)
  const { current, queue } = connection
  if (!current) return begin(connection, exchange)
  if (waitingInTotal >= totalQueueLimit) {
    socket.destroy()
    return Promise.reject(clientGone())
  }
  waitingInTotal++
  // Stops reading the socket until the waiting requests have begun. Requests already read from it still join the queue.
  if (queue.length >= queueLimit) socket.pause()
  return new Promise((begin, refuse) => {
    queue.push({ exchange, begin, refuse })
  })
}

const begin = (connection: Connection, exchange: Exchange): undefined => {
  connection.current = exchange
  exchange.outgoing.once('close', () => beginNext(connection))
}

const beginNext = (connection: Connection) => {
  const { socket, queue, deferredRefusal } = connection
  connection.current = undefined
  connection.deferredRefusal = undefined
  connection.answeredAtMs = performance.now()
  if (!socket.writable) {
    waitingInTotal -= queue.length
    for (const { refuse } of queue.splice(0)) refuse(clientGone())
    return
  }
  const next = queue.shift()
  if (next) {
    waitingInTotal--
    begin(connection, next.exchange)
    next.begin()
  }
  if (queue.length === 0 && socket.isPaused()) socket.resume()
  deferredRefusal?.()
}

/** The two ways to refuse input that the parser could not read. */
interface InputRefusal {
  /** The problem with a request whose remaining input could not be parsed. */
  readonly problemOfUnfinished: (incoming: IncomingMessage) => Problem
  /** Refuses input that does not continue an earlier request. */
  readonly refuse: () => void
}

/**
 * Refuses unreadable input after the complete requests before it, because answers keep the order of the requests (RFC 9112,
 * 9.3.2). If the input continues an unfinished request: the connection just closes if that request already has its answer;
 * otherwise the refusal becomes its answer.
 */
export const refuseInTurn = (socket: Duplex, inputRefusal: InputRefusal) => {
  const connection = connectionOf(socket)
  const { current, unreadRequest } = connection
  if (connection.isClosing || connection.deferredRefusal || !socket.writable) return
  if (current?.incoming.complete) connection.deferredRefusal = () => refuseInTurn(socket, inputRefusal)
  else if (current?.outgoing.headersSent || (!current && unreadRequest?.complete === false))
    closeInStages(socket)
  else if (current) markBroken(current.incoming, inputRefusal.problemOfUnfinished(current.incoming))
  else inputRefusal.refuse()
}

/** The connection closes after these refusals: the end of the request is unknown, or its body is too long to read. */
const closingKinds: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'httpSyntax',
  'bodyTooLarge',
  'requestTimeout',
])

/**
 * True if the connection must close after this answer:
 * - The request was refused with one of the kinds above, broke off, or has a body that is too long to discard.
 * - The client waits for 100 Continue, so nobody knows whether it will send the body.
 * - The client asks for another protocol: the parser then stops and loses the bytes that follow.
 * - The client asks to close, or has closed its sending side and no other request waits.
 */
export const mustCloseAfter = ({ incoming, awaitsContinue }: Exchange, problem: Problem | undefined) =>
  (problem !== undefined && closingKinds.has(problem.kind)) ||
  isBroken(incoming) ||
  isTooLongToDiscard(incoming) ||
  incoming.headers.upgrade !== undefined ||
  awaitsContinue ||
  wantsClose(incoming) ||
  (incoming.socket.readableEnded && !hasWaitingInput(connectionOf(incoming.socket)))

const hasWaitingInput = ({ queue, deferredRefusal }: Connection) =>
  queue.length > 0 || deferredRefusal !== undefined

/** True if a request announces a longer body than we are willing to read and discard. */
export const isTooLongToDiscard = ({ complete, headers }: IncomingMessage) =>
  !complete && Number(headers['content-length'] ?? 0) > discardLimitBytes

/** An HTTP/1.1 connection stays open by default, an older one does not (RFC 9112, 9.3). */
const wantsClose = ({ headers: { connection = '' }, httpVersionMinor }: IncomingMessage) =>
  closeToken.test(connection) || (httpVersionMinor === 0 && !keepAliveToken.test(connection))

const closeToken = /(?:^|[\s,])close(?:$|[\s,])/i
const keepAliveToken = /(?:^|[\s,])keep-alive(?:$|[\s,])/i

/** Reads and discards the rest of an answered request, up to a limit, so that the next request can follow. */
export const discardRest = ({ incoming, outgoing }: Exchange) => {
  const { socket } = incoming
  connectionOf(socket).unreadRequest = incoming
  let discardableBytes = discardLimitBytes
  incoming.on('data', (chunk: Buffer) => {
    discardableBytes -= chunk.length
    if (discardableBytes >= 0) return
    if (outgoing.writableEnded) return closeInStages(socket)
    incoming.pause()
    outgoing.once('finish', () => closeInStages(socket))
  })
}

/**
 * Closes in stages (RFC 9112, 9.6): ends our side, reads and discards incoming data for a while, and then cuts the connection.
 * If it closed at once, a client that is still sending would get a reset and lose an answer that it has not read yet.
 */
export const closeInStages = (socket: Duplex) => {
  const connection = connectionOf(socket)
  if (connection.isClosing) return
  connection.isClosing = true
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.end()
  const sending = connection.current?.incoming ?? connection.unreadRequest
  sending?.resume()
  socket.resume()
}

/**
 * Closes connections on which no request follows an answer. One timer checks all of them, because node:http would set two
 * timers for every request. In node:http blank lines keep a connection alive. Here they do not: the head of the next request
 * must be complete within the keep-alive time plus the time allowed for a head.
 */
export const closeIdleConnections = (server: Server, keepAliveMs: number) => {
  const headMs = keepAliveMs + server.headersTimeout
  const openSockets = new Set<Socket>()
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    openSockets.add(socket)
    socket.once('close', () => openSockets.delete(socket))
  })
  const isIdle = (socket: Socket) => {
    const connection = connectionOf(socket)
    const now = performance.now()
    if (socket.bytesRead !== connection.readBytes) {
      connection.readBytes = socket.bytesRead
      connection.readAtMs = now
    }
    const { current, answeredAtMs, readAtMs } = connection
    // node:http sends 408 on a connection that has had no answer yet.
    if (current || answeredAtMs === undefined) return false
    return now - Math.max(readAtMs, answeredAtMs) > keepAliveMs || now - answeredAtMs > headMs
  }
  const timer = setInterval(() => {
    for (const socket of openSockets) if (isIdle(socket)) socket.destroy()
  }, idleCheckMs).unref()
  server.on('close', () => clearInterval(timer))
}
