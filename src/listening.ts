import type { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { AddressInfo, Server as SocketServer } from 'node:net'
import { listen, openDoors } from '#http/doors.ts'
import { closeGracefully } from '#http/drain.ts'
import { type Config, SettingError } from './config.ts'

export interface Servers {
  readonly api: Server
  readonly management: Server | undefined
}

/** Tells the sockets that listen for the API. */
export const listenAll = async (config: Config, { api, management }: Servers) => {
  const { HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT } = config
  const doors = await openDoors(api, HOST, PORT).catch(cannotListen('HOST and PORT', `${HOST}:${PORT}`))
  if (management && MANAGEMENT_PORT !== 'off')
    await listen(management, { host: MANAGEMENT_HOST, port: MANAGEMENT_PORT })
      .catch(cannotListen('MANAGEMENT_HOST and MANAGEMENT_PORT', `${MANAGEMENT_HOST}:${MANAGEMENT_PORT}`))
      .catch(async (error) => {
        await closeGracefully(api, doors, 0)
        throw error
      })
  return doors
}

/** Lets the requests that are there finish, on both at once. */
export const closeAll = async (
  { api, management }: Servers,
  doors: readonly SocketServer[],
  limitMs: number | undefined,
) => {
  await Promise.all([
    closeGracefully(api, doors, limitMs),
    management && closeGracefully(management, [management], limitMs),
  ])
}

/** Where it listens, or nothing if it does not. */
export const addressOf = (server: Server) => {
  const place = server.address() as AddressInfo | null
  if (place === null) return ''
  const { address, family, port } = place
  const scheme = server instanceof SecureServer ? 'https' : 'http'
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

const cannotListen = (names: string, address: string) => (error: NodeJS.ErrnoException) => {
  const words: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'that takes more rights',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'no such host is known',
  }
  const why = words[error.code ?? ''] ?? error.message
  throw new SettingError(`Cannot listen on ${address}, set by ${names}: ${why}.`)
}
