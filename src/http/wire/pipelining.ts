import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { clientGone, type Problem } from '#core/problem.ts'
import type { Exchange } from './exchange.ts'
import { answerOn } from './idle.ts'
import { behindInTotalLimit, behindLimit } from './limits.ts'

/** Whether the request came before the previous one on its connection was answered. */
export const isBehind = ({ outgoing }: Exchange): boolean => outgoing.socket === null

/**
 * Waits until this request may begin. A connection has one request in progress at a time, because each must see what those
 * before it did (RFC 9112, 9.3.2). A request behind an answer that closes the connection never begins (9.6), nor does one
 * on a connection that broke off.
 */
export const waitForTurn = ({ incoming, outgoing }: Exchange): Promise<void> =>
  new Promise((begin, refuse) => {
    const { socket } = incoming
    const behind = { outgoing, begin, refuse }
    const line = lines.get(socket)
    if (waiting >= behindInTotalLimit) {
      socket.destroy()
      return refuse(clientGone())
    }
    waiting++
    // Nothing more is read until those that wait here have been answered; what has arrived already comes on top.
    if (line && line.length >= behindLimit) socket.pause()
    if (line) return void line.push(behind)
    const fresh = [behind]
    lines.set(socket, fresh)
    advance(socket, fresh)
  })

interface QueuedRequest {
  readonly outgoing: ServerResponse
  readonly begin: () => void
  readonly refuse: (why: Problem) => void
}

/** Whether other requests wait on this connection. */
export const isFollowed = (socket: Duplex): boolean => lines.has(socket)

/** The requests that wait on each connection, in order of arrival. */
const lines = new WeakMap<Duplex, QueuedRequest[]>()

/** How many requests wait on all connections together. */
let waiting = 0

const advance = (socket: Duplex, line: QueuedRequest[]) => {
  const answer = answerOn(socket)
  if (answer && !socket.destroyed) {
    if (line[0]?.outgoing === answer) {
      waiting--
      line.shift()?.begin()
    }
    if (line.length > 0) return answer.once('close', () => advance(socket, line))
  }
  lines.delete(socket)
  waiting -= line.length
  if (socket.isPaused()) socket.resume()
  for (const { refuse } of line) refuse(clientGone())
}
