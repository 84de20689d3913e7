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

/**
 * Returns the URL of the console for callers who reach the API at `apiUrl`. The console is on the port of the management listener,
 * unless a proxy serves both or there is no such listener: then it is at the URL of the API.
 */
export const consoleUrl =
  ({ PUBLIC_URL, PORT, MANAGEMENT_PORT }: Config) =>
  (apiUrl: string) => {
    const url = URL.parse(apiUrl)
    if (PUBLIC_URL !== undefined || MANAGEMENT_PORT === 'off' || url?.port !== String(PORT)) return apiUrl
    url.port = String(MANAGEMENT_PORT)
    return url.origin
  }

/** Opens all listening sockets, and returns those of the API. If the API is mounted in another program's server, that server is returned. */
export const listenAll = async (config: Config, { api, management }: Servers, isMounted = false) => {
  const [apiAddress, managementAddress] = listenAddresses(config)
  const { host, port } = apiAddress
  const sockets = isMounted
    ? [api]
    : await openListeningSockets(api, host, port).catch(refuseAddress(apiAddress))
  if (management && managementAddress)
    await listen(management, managementAddress)
      .catch(refuseAddress(managementAddress))
      .catch(async (error) => {
        await closeGracefully(api, sockets, 0)
        throw error
      })
  return sockets
}

/** Lets running requests finish on both servers, and closes the servers. */
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

/** Throws if the service could not listen. Called before it creates or changes anything. */
export const requireAddresses = async (config: Config, isMounted: boolean | undefined) => {
  for (const { fault } of await tryAddresses(config, isMounted)) if (fault) throw fault
}

interface TriedAddress extends ListenAddress {
  /** The reason why the service could not listen at this address. */
  readonly fault: SettingError | undefined
}

/** Tests whether the service could listen: opens all sockets that the settings name, and closes them again. */
export const tryAddresses = async (config: Config, isMounted = false): Promise<readonly TriedAddress[]> => {
  const opened: SocketServer[] = []
  const tried: TriedAddress[] = []
  for (const address of listenAddresses(config).slice(isMounted ? 1 : 0)) {
    if (!address) continue
    try {
      opened.push(await listen(createServer(), address).catch(refuseAddress(address)))
      tried.push({ ...address, fault: undefined })
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      tried.push({ ...address, fault: error })
    }
  }
  for (const server of opened) server.close()
  return tried
}

interface ListenAddress {
  readonly host: string
  readonly port: number
  /** `serverName` and `settingNames` are texts for messages. */
  readonly serverName: string
  readonly settingNames: string
}

const listenAddresses = (config: Config): readonly [ListenAddress, ListenAddress?] => {
  const { HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT } = config
  const api = { host: HOST, port: PORT, serverName: 'the API', settingNames: 'HOST and PORT' }
  if (MANAGEMENT_PORT === 'off') return [api]
  const settingNames = 'MANAGEMENT_HOST and MANAGEMENT_PORT'
  return [
    api,
    { host: MANAGEMENT_HOST, port: MANAGEMENT_PORT, serverName: 'console and management', settingNames },
  ]
}

/** The URL where the server listens. Empty if the server does not listen. */
export const addressOf = (server: Server) => {
  const bound = server.address() as AddressInfo | null
  if (bound === null) return ''
  const { address, port } = bound
  const scheme = server instanceof SecureServer ? 'https' : 'http'
  return `${scheme}://${hostAndPort(address, port)}`
}

const refuseAddress =
  ({ host, port, settingNames }: ListenAddress) =>
  (error: NodeJS.ErrnoException) => {
    const words: Readonly<Record<string, string>> = {
      EADDRINUSE: 'another program is listening there',
      EACCES: 'permission is denied',
      EADDRNOTAVAIL: 'this machine has no such address',
      ENOTFOUND: 'no such host is known',
    }
    const why = words[error.code ?? ''] ?? error.message
    throw new SettingError(`Cannot listen on ${hostAndPort(host, port)}, set by ${settingNames}: ${why}.`, {
      cause: error,
    })
  }
