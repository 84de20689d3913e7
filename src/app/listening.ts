import type { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import { type AddressInfo, createServer, type Server as SocketServer } from 'node:net'
import { closeGracefully, listen, openListeningSockets } from '#http/wire/listening-sockets.ts'
import { hostAndPort } from '#src/config/allowed-hosts.ts'
import { type Config, SettingError } from '#src/config.ts'

export interface Servers {
  readonly api: Server
  readonly management: Server | undefined
}

/** The URL of the console for callers who use the API at `apiUrl`: the port of the management listener, or PUBLIC_URL. */
export const consoleUrl =
  ({ PUBLIC_URL, PORT, MANAGEMENT_PORT }: Config) =>
  (apiUrl: string) => {
    const url = URL.parse(apiUrl)
    const isPublished = PUBLIC_URL !== undefined || MANAGEMENT_PORT === 'off'
    if (isPublished || url?.port !== String(PORT)) return apiUrl
    url.port = String(MANAGEMENT_PORT)
    return url.origin
  }

/** Opens and returns the API's listening sockets. A mounted API has none. */
export const listenAll = async (config: Config, { api, management }: Servers, isMounted = false) => {
  const [apiPlace, managementPlace] = listenAddresses(config)
  const { host, port } = apiPlace
  const sockets = isMounted
    ? [api]
    : await openListeningSockets(api, host, port).catch(cannotListen(apiPlace))
  if (management && managementPlace)
    await listen(management, managementPlace)
      .catch(cannotListen(managementPlace))
      .catch(async (error) => {
        await closeGracefully(api, sockets, 0)
        throw error
      })
  return sockets
}

/** Lets running requests finish, on both servers at once. */
export const closeAll = async (
  { api, management }: Servers,
  sockets: readonly SocketServer[],
  limitMs: number | undefined,
) => {
  await Promise.all([
    closeGracefully(api, sockets, limitMs),
    management && closeGracefully(management, [management], limitMs),
  ])
}

/** Refuses a start that cannot listen, before it creates or changes anything. */
export const requireAddresses = async (config: Config, isMounted: boolean | undefined) => {
  for (const { fault } of await tryAddresses(config, isMounted)) if (fault) throw fault
}

interface TriedAddress extends ListenAddress {
  /** Why a start could not listen at this place. */
  readonly fault: SettingError | undefined
}

/** Opens all sockets that the settings name, as a start does, and closes them again. */
export const tryAddresses = async (config: Config, isMounted = false): Promise<readonly TriedAddress[]> => {
  const opened: SocketServer[] = []
  const tried: TriedAddress[] = []
  for (const place of listenAddresses(config).slice(isMounted ? 1 : 0)) {
    if (!place) continue
    try {
      opened.push(await listen(createServer(), place).catch(cannotListen(place)))
      tried.push({ ...place, fault: undefined })
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      tried.push({ ...place, fault: error })
    }
  }
  for (const server of opened) server.close()
  return tried
}

interface ListenAddress {
  readonly host: string
  readonly port: number
  /** The server that listens at this address, for messages. */
  readonly serves: string
  /** The settings that define it, for messages. */
  readonly names: string
}

const listenAddresses = (config: Config): readonly [ListenAddress, ListenAddress?] => {
  const { HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT } = config
  const api = { host: HOST, port: PORT, serves: 'the API', names: 'HOST and PORT' }
  if (MANAGEMENT_PORT === 'off') return [api]
  const names = 'MANAGEMENT_HOST and MANAGEMENT_PORT'
  return [api, { host: MANAGEMENT_HOST, port: MANAGEMENT_PORT, serves: 'console and management', names }]
}

/** The URL where the server listens; empty if it does not listen. */
export const addressOf = (server: Server) => {
  const place = server.address() as AddressInfo | null
  if (place === null) return ''
  const { address, port } = place
  const scheme = server instanceof SecureServer ? 'https' : 'http'
  return `${scheme}://${hostAndPort(address, port)}`
}

const cannotListen =
  ({ host, port, names }: ListenAddress) =>
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
