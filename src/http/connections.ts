import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#core/network.ts'

/** How many connections there may be at once. One too many is closed before anything of it is read. */
export interface ConnectionBounds {
  readonly most: number
  readonly mostPerNetwork: number
  /** Whether many callers come through this address, so that it is not counted as one network. */
  readonly isProxy: (address: string) => boolean
  readonly refused: () => void
}

/** Call it last: it counts a connection before the listeners that are already there hear of it. */
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

/** Behind a proxy, or within the process, there may be as many as in all. */
const unbounded = 'unbounded'

const networkBehind = ({ remoteAddress }: Socket, { isProxy }: ConnectionBounds) =>
  remoteAddress === undefined || isProxy(remoteAddress) ? unbounded : networkOf(remoteAddress)
