import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#core/network.ts'

/** Limits on simultaneous connections. An excess connection is closed before anything is read from it. */
export interface ConnectionLimits {
  readonly maxInTotal: number
  readonly maxPerNetwork: number
  /** True if many callers share this address, so that it must not count as one network. */
  readonly isProxy: (address: string) => boolean
  readonly onRefused: () => void
}

export const limitConnections = (server: Server, limits: ConnectionLimits) => {
  let openCount = 0
  const openByNetwork = new Map<string, number>()
  const admit = (socket: Socket) => {
    const network = networkBehind(socket, limits)
    const openOfNetwork = openByNetwork.get(network) ?? 0
    if (openCount >= limits.maxInTotal || (network !== unlimited && openOfNetwork >= limits.maxPerNetwork))
      return false
    openCount++
    openByNetwork.set(network, openOfNetwork + 1)
    socket.once('close', () => {
      openCount--
      const left = (openByNetwork.get(network) ?? 1) - 1
      if (left === 0) openByNetwork.delete(network)
      else openByNetwork.set(network, left)
    })
    return true
  }
  server.on('connection', (socket) => {
    if (admit(socket)) return
    socket.destroy()
    limits.onRefused()
  })
}

/** Connections through a proxy, or from within the process, are limited only by the total. */
const unlimited = 'unbounded'

const networkBehind = ({ remoteAddress }: Socket, { isProxy }: ConnectionLimits) =>
  remoteAddress === undefined || isProxy(remoteAddress) ? unlimited : networkOf(remoteAddress)
