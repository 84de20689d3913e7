import type { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import { type AddressInfo, createServer, type Server as SocketServer } from 'node:net'
import { listen, openDoors } from '#http/server/doors.ts'
import { closeGracefully } from '#http/server/drain.ts'
import { hostAndPort } from '#src/config/own-hosts.ts'
import { type Config, SettingError } from '#src/config.ts'

export interface Servers {
  readonly api: Server
  readonly management: Server | undefined
}

/** Returns the sockets that listen for the API. */
export const listenAll = async (config: Config, { api, management }: Servers) => {
  const [apiPlace, managementPlace] = placesOf(config)
  const { host, port } = apiPlace
  const doors = await openDoors(api, host, port).catch(cannotListen(apiPlace))
  if (management && managementPlace)
    await listen(management, managementPlace)
      .catch(cannotListen(managementPlace))
      .catch(async (error) => {
        await closeGracefully(api, doors, 0)
        throw error
      })
  return doors
}

/** Lets running requests finish, on both servers at once. */
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

/** Listens where the settings say and closes again at once; throws whatever a start would throw. */
export const tryPlaces = async (config: Config) => {
  const opened: SocketServer[] = []
  try {
    for (const place of placesOf(config))
      if (place) opened.push(await listen(createServer(), place).catch(cannotListen(place)))
  } finally {
    for (const server of opened) server.close()
  }
}

interface Place {
  readonly host: string
  readonly port: number
  /** The settings that define it, for messages. */
  readonly names: string
}

const placesOf = (config: Config): readonly [Place, Place?] => {
  const { HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT } = config
  const api = { host: HOST, port: PORT, names: 'HOST and PORT' }
  if (MANAGEMENT_PORT === 'off') return [api]
  return [api, { host: MANAGEMENT_HOST, port: MANAGEMENT_PORT, names: 'MANAGEMENT_HOST and MANAGEMENT_PORT' }]
}

/** The URL where it listens; empty if it does not listen. */
export const addressOf = (server: Server) => {
  const place = server.address() as AddressInfo | null
  if (place === null) return ''
  const { address, port } = place
  const scheme = server instanceof SecureServer ? 'https' : 'http'
  return `${scheme}://${hostAndPort(address, port)}`
}

const cannotListen =
  ({ host, port, names }: Place) =>
  (error: NodeJS.ErrnoException) => {
    const words: Readonly<Record<string, string>> = {
      EADDRINUSE: 'another program is listening there',
      EACCES: 'permission is denied',
      EADDRNOTAVAIL: 'this machine has no such address',
      ENOTFOUND: 'no such host is known',
    }
    const why = words[error.code ?? ''] ?? error.message
    throw new SettingError(`Cannot listen on ${hostAndPort(host, port)}, set by ${names}: ${why}.`, {
      cause: error,
    })
  }
