import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#core/network.ts'

/** How many connections there may be at once. One too many is closed before anything of it is read. */
export interface ConnectionBounds {
  readonly most: number
  readonly mostOfNetwork: number
  /** Whether many callers come through this address, so that it is not counted as one network. */
  readonly isProxy: (address: string) => boolean
  readonly refused: () => void
}

/** Call it last: it counts a connection before the listeners that are already there hear of it. */
export const boundConnections = (server: Server, bounds: ConnectionBounds) => {
  const all = counts(bounds.most)
  const networks = counts(bounds.mostOfNetwork)
  const enters = (socket: Socket) => {
    const address = socket.remoteAddress
    if (!all.enter('all', socket)) return false
    return address === undefined || bounds.isProxy(address) || networks.enter(networkOf(address), socket)
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

/** How many connections there are of each kind. */
const counts = (most: number) => {
  const open = new Map<string, number>()
  const leave = (kind: string) => {
    const left = (open.get(kind) ?? 1) - 1
    if (left === 0) open.delete(kind)
    else open.set(kind, left)
  }
  return {
    enter(kind: string, socket: Socket): boolean {
      const count = open.get(kind) ?? 0
      if (count >= most) return false
      open.set(kind, count + 1)
      socket.once('close', () => leave(kind))
      return true
    },
  }
}
