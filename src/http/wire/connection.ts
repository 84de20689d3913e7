import type { IncomingMessage, Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { onceFor } from '#core/once.ts'
import { clientGone, type Kind, type Problem } from '#core/problem.ts'
import { breakOff, type Exchange, isBroken } from './exchange.ts'
import { behindInTotalLimit, behindLimit, idleCheckMs, lingerMs, unwantedLimitBytes } from './limits.ts'

/** One connection: what is answered on it, what waits, and whether it is being closed. */
interface Connection {
  readonly socket: Duplex
  /** The request that is being answered. */
  current: Exchange | undefined
  readonly queue: Queued[]
  /** Judges again what the parser refused, once the requests before it are answered. */
  refusal: (() => void) | undefined
  /** A request that is answered, and whose body may still be arriving. */
  unread: IncomingMessage | undefined
  isLeaving: boolean
  answeredAtMs: number | undefined
  /** How many bytes had been read at the last check, and when that was seen to grow. */
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
    isLeaving: false,
    answeredAtMs: undefined,
    readBytes: 0,
    readAtMs: 0,
  }),
)

/** Whether a connection is being closed: whatever still arrives on it is ignored. */
export const isLeaving = (socket: Duplex) => connectionOf(socket).isLeaving

/** How many requests wait on all connections together. */
let waiting = 0

/**
 * Undefined if a request may begin, otherwise a promise of its turn. A connection has one request in progress at a time,
 * because each must see what those before it did (RFC 9112, 9.3.2). A request behind an answer that closes the connection
 * never begins (9.6), nor does one on a connection that broke off.
 */
export const turnOf = (exchange: Exchange): Promise<void> | undefined => {
  const { socket } = exchange.incoming
  const connection = connectionOf(socket)
  const { current, queue } = connection
  if (!current) return begin(connection, exchange)
  if (waiting >= behindInTotalLimit) {
    socket.destroy()
    return Promise.reject(clientGone())
  }
  waiting++
  // Nothing more is read until those that wait here have begun; what has arrived already comes on top.
  if (queue.length >= behindLimit) socket.pause()
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

/** What becomes of something that the parser could not read. */
interface Refusing {
  /** Why a request whose rest it was is refused. */
  readonly unfinished: (incoming: IncomingMessage) => Problem
  /** Refuses it by itself. */
  readonly refuse: () => void
}

/**
 * Answers go out in the order of the requests (RFC 9112, 9.3.2), so requests that are complete are answered first. A
 * request that already has its answer gets no second one, and one that is still being handled answers with this refusal
 * itself.
 */
export const refuseInTurn = (socket: Duplex, refusing: Refusing) => {
  const connection = connectionOf(socket)
  const { current, unread } = connection
  if (connection.isLeaving || connection.refusal || !socket.writable) return
  if (current?.incoming.complete) connection.refusal = () => refuseInTurn(socket, refusing)
  else if (current?.outgoing.headersSent || (!current && unread?.complete === false)) leave(socket)
  else if (current) breakOff(current.incoming, refusing.unfinished(current.incoming))
  else refusing.refuse()
}

/** After these the connection closes: the end of the request is unknown, or its body is too long to read to the end. */
const lastKinds: ReadonlySet<Kind> = new Set<Kind>(['httpSyntax', 'bodyTooLarge', 'requestTimeout'])

/**
 * Whether a connection must close after this answer: its request is one of those above, broke off, or leaves too much
 * unread; or it asks for another protocol, at which the parser stops and loses what follows; or it never got the 100
 * Continue it waits for, and may or may not send its body; or its client wants it closed, or has closed its sending side,
 * and nothing else waits.
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

/** Reads and discards the rest of a request that has its answer, up to a limit, so that the next request can come. */
export const discardRest = ({ incoming, outgoing }: Exchange) => {
  const { socket } = incoming
  connectionOf(socket).unread = incoming
  let leftBytes = unwantedLimitBytes
  incoming.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes >= 0) return
    if (outgoing.writableEnded) return leave(socket)
    incoming.pause()
    outgoing.once('finish', () => leave(socket))
  })
}

/**
 * Closes in stages (RFC 9112, 9.6). If the connection closed at once, a client that is still sending would get a reset and
 * lose an answer it has not read yet. So what it sends is read and discarded for a while; after that the connection is cut.
 */
export const leave = (socket: Duplex) => {
  const connection = connectionOf(socket)
  if (connection.isLeaving) return
  connection.isLeaving = true
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.end()
  const sending = connection.current?.incoming ?? connection.unread
  sending?.resume()
  socket.resume()
}

/**
 * Cuts connections on which nothing follows an answer. It checks all of them periodically, where node:http would set two
 * timers for every request. A blank line keeps a connection alive in node:http, but not here: the next head must be
 * complete within the keep-alive time plus the time allowed for a head.
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
    // A connection without any answer yet gets its 408 from node:http.
    if (current || answeredAtMs === undefined) return false
    return now - Math.max(readAtMs, answeredAtMs) > keepAliveMs || now - answeredAtMs > headMs
  }
  const timer = setInterval(() => {
    for (const socket of open) if (isIdle(socket)) socket.destroy()
  }, idleCheckMs).unref()
  server.on('close', () => clearInterval(timer))
}
