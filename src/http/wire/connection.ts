import type { IncomingMessage, Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { onceFor } from '#core/once.ts'
import { clientGone, type Kind, type Problem } from '#core/problem.ts'
import { breakOff, type Exchange, isBroken } from './exchange.ts'
import { idleCheckMs, lingerMs, queueInTotalLimit, queueLimit, unwantedLimitBytes } from './limits.ts'

/** The state of one connection: its current request, the waiting ones, and whether it is closing. */
interface Connection {
  readonly socket: Duplex
  current: Exchange | undefined
  readonly queue: Queued[]
  /** Handles a parser error again once the requests before it have been answered. */
  refusal: (() => void) | undefined
  /** A request that has its answer while its body may still be arriving. */
  unread: IncomingMessage | undefined
  isClosing: boolean
  answeredAtMs: number | undefined
  /** How many bytes had been read at the last check, and when a check last saw that number grow. */
  readBytes: number
  readAtMs: number
}

interface Queued {
  readonly exchange: Exchange
  readonly begin: () => void
  readonly refuse: (why: Problem) => void
}

const connectionOf = onceFor(
  (socket: Duplex): Connection => ({
    socket,
    current: undefined,
    queue: [],
    refusal: undefined,
    unread: undefined,
    isClosing: false,
    answeredAtMs: undefined,
    readBytes: 0,
    readAtMs: 0,
  }),
)

/** Whether a connection is closing. Data that still arrives on it is ignored. */
export const isClosing = (socket: Duplex) => connectionOf(socket).isClosing

/** The number of waiting requests on all connections together. */
let waiting = 0

/**
 * Returns undefined if the request may begin, otherwise a promise that resolves when it may. Requests on one connection run
 * one at a time, because each must see the effects of those before it (RFC 9112, 9.3.2). A request behind an answer that
 * closes the connection never begins (9.6), nor does one on a broken connection.
 */
export const waitForTurn = (exchange: Exchange): Promise<void> | undefined => {
  const { socket } = exchange.incoming
  const connection = connectionOf(socket)
  const { current, queue } = connection
  if (!current) return begin(connection, exchange)
  if (waiting >= queueInTotalLimit) {
    socket.destroy()
    return Promise.reject(clientGone())
  }
  waiting++
  // Stop reading until the requests that wait here have begun. Those that have already arrived still join them.
  if (queue.length >= queueLimit) socket.pause()
  return new Promise((begin, refuse) => {
    queue.push({ exchange, begin, refuse })
  })
}

const begin = (connection: Connection, exchange: Exchange): undefined => {
  connection.current = exchange
  exchange.outgoing.once('close', () => proceed(connection))
}

const proceed = (connection: Connection) => {
  const { socket, queue, refusal } = connection
  connection.current = undefined
  connection.refusal = undefined
  connection.answeredAtMs = performance.now()
  if (!socket.writable) {
    waiting -= queue.length
    for (const { refuse } of queue.splice(0)) refuse(clientGone())
    return
  }
  const next = queue.shift()
  if (next) {
    waiting--
    begin(connection, next.exchange)
    next.begin()
  }
  if (queue.length === 0 && socket.isPaused()) socket.resume()
  refusal?.()
}

/** How to refuse input that the parser could not read. */
interface InputRefusal {
  /** The problem with this request, if the input was the rest of it. */
  readonly unfinished: (incoming: IncomingMessage) => Problem
  /** Refuses the input as a request of its own. */
  readonly refuse: () => void
}

/**
 * Answers go out in the order of the requests (RFC 9112, 9.3.2), so complete requests are answered first. If the input is the
 * rest of a request that has its answer, there is no second answer. If that request is still being handled, this refusal
 * becomes its answer.
 */
export const refuseInTurn = (socket: Duplex, refusing: InputRefusal) => {
  const connection = connectionOf(socket)
  const { current, unread } = connection
  if (connection.isClosing || connection.refusal || !socket.writable) return
  if (current?.incoming.complete) connection.refusal = () => refuseInTurn(socket, refusing)
  else if (current?.outgoing.headersSent || (!current && unread?.complete === false)) closeInStages(socket)
  else if (current) breakOff(current.incoming, refusing.unfinished(current.incoming))
  else refusing.refuse()
}

/** The connection closes after these refusals: the end of the request is unknown, or its body is too long to read. */
const lastKinds: ReadonlySet<Kind> = new Set<Kind>(['httpSyntax', 'bodyTooLarge', 'requestTimeout'])

/**
 * Whether the connection must close after this answer. It must if the request was refused for a reason above, broke off, or
 * leaves too much unread; if it asks for another protocol, because the parser then stops and loses the bytes that follow; if
 * it still waits for 100 Continue, because it may or may not send its body; if the client asks to close; or if the client has
 * closed its sending side and nothing else waits.
 */
export const isLast = ({ incoming, awaitsContinue }: Exchange, problem: Problem | undefined) =>
  (problem !== undefined && lastKinds.has(problem.kind)) ||
  isBroken(incoming) ||
  leavesTooMuch(incoming) ||
  incoming.headers.upgrade !== undefined ||
  awaitsContinue ||
  wantsClose(incoming) ||
  (incoming.socket.readableEnded && !isFollowed(connectionOf(incoming.socket)))

const isFollowed = ({ queue, refusal }: Connection) => queue.length > 0 || refusal !== undefined

/** Whether a request announces a longer body than we are willing to read and discard. */
export const leavesTooMuch = ({ complete, headers }: IncomingMessage) =>
  !complete && Number(headers['content-length'] ?? 0) > unwantedLimitBytes

/** An HTTP/1.1 connection stays open by default, an older one does not (RFC 9112, 9.3). */
const wantsClose = ({ headers: { connection = '' }, httpVersionMinor }: IncomingMessage) =>
  closes.test(connection) || (httpVersionMinor === 0 && !keepsAlive.test(connection))

const closes = /(?:^|[\s,])close(?:$|[\s,])/i
const keepsAlive = /(?:^|[\s,])keep-alive(?:$|[\s,])/i

/** Reads and discards the rest of an answered request, up to a limit, so that the next request can follow. */
export const discardRest = ({ incoming, outgoing }: Exchange) => {
  const { socket } = incoming
  connectionOf(socket).unread = incoming
  let leftBytes = unwantedLimitBytes
  incoming.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes >= 0) return
    if (outgoing.writableEnded) return closeInStages(socket)
    incoming.pause()
    outgoing.once('finish', () => closeInStages(socket))
  })
}

/**
 * Closes in stages (RFC 9112, 9.6). If the connection closed at once, a client that is still sending would get a reset and
 * lose an answer it has not read yet. So incoming data is read and discarded for a while before the connection is cut.
 */
export const closeInStages = (socket: Duplex) => {
  const connection = connectionOf(socket)
  if (connection.isClosing) return
  connection.isClosing = true
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.end()
  const sending = connection.current?.incoming ?? connection.unread
  sending?.resume()
  socket.resume()
}

/**
 * Cuts connections on which no request follows an answer. One timer checks all of them, because node:http would set two
 * timers for every request. Blank lines keep a connection alive in node:http but not here: the next head must be complete
 * within the keep-alive time plus the time allowed for a head.
 */
export const cutIdle = (server: Server, keepAliveMs: number) => {
  const headMs = keepAliveMs + server.headersTimeout
  const open = new Set<Socket>()
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
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
    for (const socket of open) if (isIdle(socket)) socket.destroy()
  }, idleCheckMs).unref()
  server.on('close', () => clearInterval(timer))
}
