import type { Server } from 'node:http'
import { Server as SocketServer } from 'node:net'
import { idleCheckMs, keepAliveTimeoutMs } from './limits.ts'

/** Requests that are still there after so long are cut off. */
const lastRequestsMs = 8_000

/**
 * Closes the listening socket alone. Connections stay until their callers leave, which every answer now asks them
 * to, or until they have been idle for the keep-alive time: a request that is on its way is still answered.
 */
export const stopListening = (server: Server): Promise<void> => {
  const gone = new Promise<void>((resolve) => SocketServer.prototype.close.call(server, () => resolve()))
  return withinMs(gone, keepAliveTimeoutMs + idleCheckMs)
}

/** Stops listening and lets the requests that are there finish; idle connections are closed at once. */
export const closeGracefully = async (server: Server, limitMs = lastRequestsMs): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  await withinMs(closed, limitMs)
  server.closeAllConnections()
  await closed
}

const withinMs = async (awaited: Promise<void>, ms: number) => {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, ms)
  await Promise.race([awaited, limit.promise])
  clearTimeout(timer)
}
