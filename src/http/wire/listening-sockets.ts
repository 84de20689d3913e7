import { once as nextEvent } from 'node:events'
import type { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import { type AddressInfo, createServer, type ListenOptions, type Server as SocketServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { waitAtMost } from '#core/event-loop.ts'
import { acceptBacklog, idleCheckMs, keepAliveTimeoutMs } from './limits.ts'
import { stopAccepting } from './undocumented.ts'

/** In one turn, the event loop accepts one connection per listening socket, however many are waiting. */
const socketsPerServer = 16

/**
 * Makes a server listen on several sockets of one port, so that one turn of the event loop accepts several connections
 * (decision 0036). The system hands each connection to one of the sockets. If it cannot share a port, there is only one socket.
 */
export const openListeningSockets = async (
  server: Server,
  host: string,
  port: number,
): Promise<readonly SocketServer[]> => {
  await requireFreePort(host, port)
  try {
    await listen(server, { host, port, reusePort: true })
  } catch (error) {
    if (!isUnsupported(error)) throw error
    return [await listen(server, { host, port })]
  }
  const address = server.address() as AddressInfo
  const others = Array.from({ length: socketsPerServer - 1 }, () => additionalSocket(server))
  const sockets = [server, ...others]
  const sameAddress = { host: address.address, port: address.port, reusePort: true }
  try {
    await Promise.all(others.map((socket) => listen(socket, sameAddress)))
  } catch (error) {
    await closeGracefully(server, sockets, 0)
    throw error
  }
  return sockets
}

/** Checks that no other process has the port: opening a shared port does not fail if one has. With port 0 the system chooses. */
const requireFreePort = async (host: string, port: number) => {
  if (port === 0) return
  const first = await listen(createServer(), { host, port })
  await new Promise((closed) => first.close(closed))
}

const isUnsupported = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOTSUP'

/** A further listening socket that hands its connections to the server. */
const additionalSocket = (server: Server) => {
  const options = { allowHalfOpen: !(server instanceof SecureServer), noDelay: true }
  return createServer(options, (socket) => void server.emit('connection', socket))
}

export const listen = async <S extends SocketServer>(server: S, options: ListenOptions): Promise<S> => {
  server.listen({ ...options, backlog: acceptBacklog })
  await nextEvent(server, 'listening')
  return server
}

/** Requests still running after this long are cut off. */
const runningRequestsMs = 8_000

/** Each turn of the event loop accepts one connection per socket, and on a busy machine several may be waiting. */
const lastTurns = 16

/**
 * Closes only the listening sockets, after accepting the connections that wait there, because closing would reset those. Open
 * connections stay, so that a request on its way is still answered: until the caller closes them, as each answer now asks, or
 * until they have been idle for the keep-alive time.
 */
export const stopListening = async (sockets: readonly SocketServer[]): Promise<void> => {
  for (let turn = 0; turn < lastTurns; turn++) await nextTurn()
  await waitAtMost(Promise.all(sockets.map(stopAccepting)), keepAliveTimeoutMs + idleCheckMs)
}

/** Stops listening and lets running requests finish; idle connections are closed at once. */
export const closeGracefully = async (
  server: Server,
  sockets: readonly SocketServer[],
  limitMs = runningRequestsMs,
): Promise<void> => {
  const closed = Promise.all(sockets.map(stopAccepting))
  server.close()
  await waitAtMost(closed, limitMs)
  server.closeAllConnections()
  await closed
}
