import type { Server } from 'node:http'
import { Server as SocketServer } from 'node:net'
import { idleCheckMs, keepAliveTimeoutMs } from './limits.ts'

/** Requests still running after this long are cut off. */
const lastRequestsMs = 8_000

/**
 * Closes only the listening sockets. A connection stays open until its caller closes it, as every answer now asks, or until
 * it has been idle for the keep-alive time, so that a request already on its way is still answered.
 */
export const stopListening = (doors: readonly SocketServer[]): Promise<void> =>
  withinMs(shut(doors), keepAliveTimeoutMs + idleCheckMs)

/** Stops listening and lets running requests finish; idle connections are closed at once. */
export const closeGracefully = async (
  server: Server,
  doors: readonly SocketServer[],
  limitMs = lastRequestsMs,
): Promise<void> => {
  const closed = shut(doors)
  server.close()
  await withinMs(closed, limitMs)
  server.closeAllConnections()
  await closed
}

/** Resolves when the last connection that came in through these sockets has closed. */
const shut = async (doors: readonly SocketServer[]) => {
  await Promise.all(
    doors.map((door) => new Promise((resolve) => SocketServer.prototype.close.call(door, resolve))),
  )
}

const withinMs = async (awaited: Promise<void>, ms: number) => {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, ms)
  await Promise.race([awaited, limit.promise])
  clearTimeout(timer)
}
