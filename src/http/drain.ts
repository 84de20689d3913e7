import type { Server } from 'node:http'
import { Server as SocketServer } from 'node:net'
import { idleCheckMs, keepAliveTimeoutMs } from './limits.ts'

/** Requests that are still there after so long are cut off. */
const lastRequestsMs = 8_000

/**
 * Closes only the sockets that listen. Connections stay until their callers leave, as every answer now asks them to, or until
 * they have been idle for the keep-alive time, so that a request on its way is still answered.
 */
export const stopListening = (doors: readonly SocketServer[]): Promise<void> =>
  withinMs(shut(doors), keepAliveTimeoutMs + idleCheckMs)

/** Stops listening and lets the requests that are there finish; idle connections are closed at once. */
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

/** Ends when the last connection that came in there has ended. */
const shut = async (doors: readonly SocketServer[]) => {
  await Promise.all(doors.map((door) => new Promise((gone) => SocketServer.prototype.close.call(door, gone))))
}

const withinMs = async (awaited: Promise<void>, ms: number) => {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, ms)
  await Promise.race([awaited, limit.promise])
  clearTimeout(timer)
}
