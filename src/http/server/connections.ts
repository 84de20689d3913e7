import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#core/network.ts'

/** Limits on simultaneous connections. One too many is closed before anything is read from it. */
export interface ConnectionBounds {
  readonly most: number
  readonly mostPerNetwork: number
  /** Whether many callers come through this address, so that it does not count as one network. */
  readonly isProxy: (address: string) => boolean
  readonly refused: () => void
}

/** Call this last: it wraps the `connection` listeners already there, so that a connection is counted before they see it. */
export const boundConnections = (server: Server, bounds: ConnectionBounds) => {
  let open = 0
  const networks = new Map<string, number>()
  const enters = (socket: Socket) => {
    const network = networkBehind(socket, bounds)
    const ofNetwork = networks.get(network) ?? 0
    if (open >= bounds.most || (network !== unbounded && ofNetwork >= bounds.mostPerNetwork)) return false
    open++
    networks.set(network, ofNetwork + 1)
    socket.once('close', () => {
      open--
      const left = (networks.get(network) ?? 1) - 1
      if (left === 0) networks.delete(network)
      else networks.set(network, left)
    })
    return true
  }
  const accept = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    if (enters(socket)) for (const one of accept) one.call(server, socket)
    else {
      socket.destroy()
      bounds.refused()
    }
  })
}

/** Connections through a proxy, or from within the process, are limited only by the total. */
const unbounded = 'unbounded'

const networkBehind = ({ remoteAddress }: Socket, { isProxy }: ConnectionBounds) =>
  remoteAddress === undefined || isProxy(remoteAddress) ? unbounded : networkOf(remoteAddress)
