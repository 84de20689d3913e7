import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#core/network.ts'

/** How many connections there may be at once. Who is too many is closed before it is listened to. */
export interface ConnectionBounds {
  readonly most: number
  readonly mostOfNetwork: number
  /** Whether so many callers come through this address that it is not counted as one network. */
  readonly isProxy: (address: string) => boolean
  readonly refused: () => void
}

/** Stands before everything that the server does with a connection: say what that is first. */
export const boundConnections = (server: Server, bounds: ConnectionBounds) => {
  const networks = networkCounts(bounds.mostOfNetwork)
  const enters = (socket: Socket) => {
    const address = socket.remoteAddress
    return address === undefined || bounds.isProxy(address) || networks.enter(networkOf(address), socket)
  }
  server.maxConnections = bounds.most
  server.on('drop', bounds.refused)
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

const networkCounts = (most: number) => {
  const counts = new Map<string, number>()
  const leave = (network: string) => {
    const left = (counts.get(network) ?? 1) - 1
    if (left === 0) counts.delete(network)
    else counts.set(network, left)
  }
  return {
    enter(network: string, socket: Socket): boolean {
      const count = counts.get(network) ?? 0
      if (count >= most) return false
      counts.set(network, count + 1)
      socket.once('close', () => leave(network))
      return true
    },
  }
}
