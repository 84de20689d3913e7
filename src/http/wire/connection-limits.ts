import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#core/network.ts'

/** Limits on simultaneous connections. An excess connection is closed before anything is read from it. */
export interface ConnectionLimits {
  readonly max: number
  readonly maxPerNetwork: number
  /** Whether many callers share this address, so that it must not count as one network. */
  readonly isProxy: (address: string) => boolean
  readonly refused: () => void
}

export const limitConnections = (server: Server, bounds: ConnectionLimits) => {
  let open = 0
  const networks = new Map<string, number>()
  const admit = (socket: Socket) => {
    const network = networkBehind(socket, bounds)
    const openOfNetwork = networks.get(network) ?? 0
    if (open >= bounds.max || (network !== unbounded && openOfNetwork >= bounds.maxPerNetwork)) return false
    open++
    networks.set(network, openOfNetwork + 1)
    socket.once('close', () => {
      open--
      const left = (networks.get(network) ?? 1) - 1
      if (left === 0) networks.delete(network)
      else networks.set(network, left)
    })
    return true
  }
  server.on('connection', (socket) => {
    if (admit(socket)) return
    socket.destroy()
    bounds.refused()
  })
}

/** Connections through a proxy, or from within the process, are limited only by the total. */
const unbounded = 'unbounded'

const networkBehind = ({ remoteAddress }: Socket, { isProxy }: ConnectionLimits) =>
  remoteAddress === undefined || isProxy(remoteAddress) ? unbounded : networkOf(remoteAddress)
